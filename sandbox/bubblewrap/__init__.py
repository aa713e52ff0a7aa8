"""Isolation with user namespaces and an overlay: no daemon, no image, one small Debian package."""
