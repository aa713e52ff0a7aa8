"""What one open cycle holds, one module per concern; ``session.py`` puts them together.

``begin.py``, ``observe.py`` and ``finish.py`` are its steps; ``state_dir.py`` says where things lie;
``trees.py`` holds the two trees, ``locus.py`` what a signal's place looks like in each; ``capability.py``
makes execution ready, ``probing.py`` carries out the probes and ``fixing.py`` searches the revert;
``hypotheses.py`` keeps the claims; ``translate.py`` turns records into wire models and ``persist.py`` wire
models into memory records.
"""
