"""Documented regressions of Python packages, and what finds them: the corpus and its runner.

``corpus.toml`` says which; ``corpus`` reads it, ``gather`` finds or rebuilds the repositories, ``verify``
runs each case's reproduction on the commits, ``guardian``, ``baselines`` and ``generator`` look for the
regression, and ``table`` prints what came of it. Started by ``benchmarks/regressions.py``.
"""
