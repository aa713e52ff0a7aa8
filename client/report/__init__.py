"""Reports: one model of what a cycle found, and one writer per format behind ``interface.py``."""
