"""What a project is called, from ``go.mod``, ``package.json`` and ``Cargo.toml``: the names other projects of
the same tree import it by.

Facts of a project file: ``package`` is the name; for ``package.json`` one import without a name says which
module the package stands for. There are no definitions and no uses.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from repo_guardian.tools.views.facts import versions
from repo_guardian.tools.views.facts.interface import ExtractLimits, FileFacts, Import

_GO_MODULE = re.compile(rb"(?m)^\s*module\s+\"?([^\s\"]+)")
_ENTRIES = ("source", "module", "main", "types")


class ProjectExtractor:
    """Extracts the name of a project; which kind of file it is, is seen from its content."""

    identity = versions.identity("project")

    def extract(self, source: bytes, limits: ExtractLimits) -> FileFacts:
        """The facts of one blob; see ``Extractor.extract``."""
        lines = source.count(b"\n", 0, max(len(source) - 1, 0)) + 1
        region = (1, lines, 0, len(source))
        if len(source) > limits.blob_bytes:
            problem = f"too large: {len(source)} bytes, the limit is {limits.blob_bytes}"
            return FileFacts(self.identity, region, problem=problem)
        name, entry, problem = _read(source)
        imports = (Import(-1, entry, 0, "", "", region),) if entry else ()
        return FileFacts(self.identity, region, imports=imports, package=name, problem=problem)


def _read(source: bytes) -> tuple[str, str, str]:
    """Name, entry module, problem."""
    if source.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        try:
            document: Any = json.loads(source)
        except (ValueError, RecursionError):
            return "", "", "not valid JSON"
        return _text(document, "name"), _entry(document), ""
    module = _GO_MODULE.search(source)
    if module is not None:
        return module.group(1).decode("utf-8", "replace"), "", ""
    try:
        crate: Any = tomllib.loads(source.decode("utf-8"))
    except (ValueError, RecursionError):
        return "", "", "neither a Go module, nor JSON, nor TOML"
    name = _text(crate.get("lib"), "name") or _text(crate.get("package"), "name")
    return name.replace("-", "_"), "", ""


def _text(document: Any, key: str) -> str:
    value = document.get(key) if isinstance(document, dict) else None
    return value if isinstance(value, str) else ""


def _entry(document: Any) -> str:
    return next((found for key in _ENTRIES if (found := _text(document, key))), "")
