"""One module per command; each exposes a ``command`` that ``main.py`` finds by the module's name."""
