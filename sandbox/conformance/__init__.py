"""What any sandbox backend must do, as cases that anyone can run against one.

``frame.py`` says what a case is, ``suite.py`` lists them all, the other modules hold them by subject. Tests
run all of them against each backend; a backend's self-check runs the fast ones, so what it promises is
tried on the very machine each time it is chosen.
"""
