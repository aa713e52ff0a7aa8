"""Compiled representations of a repository at one commit, linked from facts kept per blob."""
