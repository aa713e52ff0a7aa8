"""Attacks on a sandbox, as cases that anyone can run against a backend on their own machine.

``frame.py`` says what an attack is and what has to hold after each, ``suite.py`` lists them all and what
issue lists elsewhere, the other modules hold them by family. Unlike ``sandbox/conformance``, which asks a
backend for what it promises, these try to break it.
"""
