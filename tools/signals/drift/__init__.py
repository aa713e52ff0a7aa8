"""Structural drift: set operations over two linked symbol graphs, one module per kind of drift.

``detect.detect_drift`` is the entry; ``contract``, ``removed`` and ``moved`` are the kinds; the others are
what they share: ``comparison`` (which names are gone), ``hierarchy`` (who inherits what), ``witness`` (the
call that tells two signatures apart) and ``dependents`` (who has not followed).
"""
