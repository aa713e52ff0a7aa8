"""Gathering evidence on one hypothesis.

``interface.py`` holds the records; ``templates/`` turns a signal into a test; ``runner.py`` runs it in a
sandbox; ``account.py`` reads what came out and lists every contradiction; ``revert.py`` builds the
smallest restoration of base text at the suspected cause.
"""
