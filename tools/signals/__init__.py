"""Deterministic measurements between two commits. A signal never says that something is wrong."""
