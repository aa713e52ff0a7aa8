"""The Python extractor, in the order of the work: ``source`` decodes, ``walk`` visits the syntax tree with
the handlers of ``statements``, ``assignments``, ``imports``, ``definitions``, ``expressions``, ``exports``,
``values`` and ``annotations`` say what an expression is, ``scopes`` and ``meanings`` what a name means,
``finish`` makes the facts.
"""
