"""Isolation by a container engine: Podman first, Docker as fallback, the same code for both.

``engine.py`` finds an engine or has ``service.py`` start one; ``image.py`` makes the image; ``ground.py``
assembles, on the host, the one bounded place that a container may write; ``cell.py`` is the container over
it and the line to its first process, ``init.py``; ``session.py`` is the sandbox made of these.
"""
