"""Maps the top-level folders to one import package: ``server/`` ships as ``repo_guardian.server``.

setuptools only ships packages that are listed, so they are found here instead of being named by hand;
``tests/house/test_wheel.py`` compares what a wheel holds with the tree.
"""

from __future__ import annotations

from setuptools import find_packages, setup

FOLDERS = ("client", "server", "tools", "sandbox", "memory_store")

packages = ["repo_guardian"]
for folder in FOLDERS:
    packages.append(f"repo_guardian.{folder}")
    packages += [f"repo_guardian.{folder}.{name}" for name in find_packages(folder)]

setup(
    packages=packages,
    package_dir={"repo_guardian": "core", **{f"repo_guardian.{name}": name for name in FOLDERS}},
    package_data={"": ["**/*.css", "**/*.j2", "**/*.json", "**/*.lock", "**/*.sh", "py.typed"]},
)
