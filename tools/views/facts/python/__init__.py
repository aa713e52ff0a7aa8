"""The Python extractor, in the order of the work: ``source`` decodes, ``walk`` visits the syntax tree with
the handlers of ``statements``, ``definitions``, ``expressions`` and ``exports``, ``scopes`` says what a name
means, ``finish`` makes the facts.
"""
