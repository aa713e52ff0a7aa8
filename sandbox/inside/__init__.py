"""Scripts that run *inside* a sandbox, next to strangers' code: standard library only, no imports of ours.

Backends make this folder visible, read-only, at ``/run/guardian``. Nothing here is trusted by the host:
what a script reports can at most change how the command's own end is described.
"""
