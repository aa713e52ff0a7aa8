"""Records what a suite passes to functions, and replays it: the guest half of behavioural drift.

Runs inside the sandbox with the repository's interpreter (3.8 or later), on the standard library and pytest
alone. ``recorder`` is a pytest plugin; ``driver`` replays recorded inputs, and mutations of them, in fresh
``worker`` processes. Inputs travel as pickles, which are loaded in a sandbox only; for the host they are
opaque bytes.
"""
