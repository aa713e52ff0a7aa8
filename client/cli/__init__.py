"""The command line: the composition root, and the only part of the client that may import the rest.

``main.py`` holds the lazy group; each command is a module of ``commands/`` that is imported when it is
called, so that ``guardian --help`` stays quick.
"""
