"""Test deltas: what the repository's own suite says at the base and now; which tests a change can reach."""
