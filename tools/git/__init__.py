"""git, with fixed arguments, on our own mirror: sync, objects, exact checkouts, history.

``command.py`` is the only module outside ``sandbox/`` that may start a process.
"""
