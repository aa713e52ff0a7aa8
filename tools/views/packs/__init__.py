"""Packs: immutable, memory-mapped files of per-file results that any number of commits share."""
