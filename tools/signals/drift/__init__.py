"""Structural drift: set operations over two linked symbol graphs, one module per kind of drift.

``detect.detect_drift`` is the entry; ``contract``, ``removed``, ``moved``, ``altered``, ``exports``,
``overrides``, ``abstract`` and ``reach`` are the kinds; ``entry_points`` is asked apart, since it reads
project files. The others are what they share: which names are gone (``comparison``, ``names``,
``hierarchy``), what stands for what (``subjects``, ``renames``), what changed (``changes``, ``protocol``,
``raises``), which call shows it (``witness``), who has not followed (``dependents``), what only the text
says (``sources``), and how it reads (``wording``, ``texts``).
"""
