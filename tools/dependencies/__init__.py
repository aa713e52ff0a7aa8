"""What a tree declares that it needs, read from its files without running any of them.

``gather.py`` is the entry and holds the order of precedence; each other module reads one kind of file:
``pyproject.py`` (PEP 621, PEP 735, PEP 518, setuptools' dynamic tables, hatch environments), ``poetry.py``
(the tables from before PEP 621), ``setup_files.py`` (``setup.cfg``, and ``setup.py`` by its syntax tree),
``requirement_files.py`` (pip's format, ``tox.ini``), ``locks.py`` (pins). The texts are a stranger's:
``sandbox/toolchain/requirements.py`` decides which of them may reach an installer.
"""

from repo_guardian.tools.dependencies.gather import declared_dependencies
from repo_guardian.tools.dependencies.interface import BuildSystem, Declared, Read, Requested

__all__ = ["BuildSystem", "Declared", "Read", "Requested", "declared_dependencies"]
