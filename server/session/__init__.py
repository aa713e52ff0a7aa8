"""What one open cycle holds, one module per concern; ``session.py`` puts them together.

``state_dir.py`` where things lie; ``trees.py`` the two trees; ``execution.py`` the sandboxes;
``probing.py`` the probes; ``hypotheses.py`` the claims; ``translate.py`` records to wire models;
``persist.py`` wire models to memory records.
"""
