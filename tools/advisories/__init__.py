"""Known vulnerabilities in what a tree depends on: found, judged and told; nothing is ever changed.

``declared.py`` gathers which versions there are to scan, ``database.py`` opens the user's advisory database,
``scanner.py`` runs the pinned scanner over it in the sandbox's *tool* profile (the part in the sandbox is
``inside/``), ``clearing.py`` finds the lowest version that clears an advisory, and ``assess.py`` is the entry
and puts them together. ``interface.py`` holds what they exchange.
"""
