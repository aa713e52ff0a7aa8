"""Where strangers' code runs, and the only place that starts a process with anything of theirs in it.

``interface.py`` is the contract; each backend is a folder that the registry knows by the string given
to ``--sandbox``; ``toolchain/`` acquires the repository's dependencies without running any code.
"""
