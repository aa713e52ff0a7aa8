"""Behavioural drift: what a changed function does differently, found by replaying what a suite passes to it.

``select`` names the functions whose text changed and whose signature did not; ``record`` runs the suite once
at the base and keeps the arguments; ``replay`` makes the same calls, and mutated ones, on both commits in
fresh processes; ``compare`` tells a divergence from chance and from reaches outside. Everything of the
repository runs in the sandbox, and recorded arguments are opaque bytes on the host.
"""
