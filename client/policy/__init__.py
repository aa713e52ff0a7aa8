"""Policies: who decides what to look at, what to claim, and when to stop."""
