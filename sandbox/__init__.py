"""Where strangers' code runs, and the only place that starts a process with anything of theirs in it.

``interface.py`` is the contract; each backend is a folder that the registry knows by the string given
to ``--sandbox``; ``toolchain/`` provides the repository's dependencies: what has to be built is built in a
sandbox, and nothing of it runs on the host. ``conformance/`` and ``hostile/`` try what a backend promises;
``guest/`` and ``inside/`` are our own scripts that run in it.
"""
