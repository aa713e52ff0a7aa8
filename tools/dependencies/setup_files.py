"""``setup.cfg``, and ``setup.py`` by its syntax tree: never imported, never run.

Of ``setup.py`` only what is written as literals can be known: keywords of the call of ``setup``, and names
that the module binds exactly once, to literals. Everything computed is reported as such.
"""

from __future__ import annotations

import ast
import configparser
from collections import Counter
from collections.abc import Mapping

from repo_guardian.tools.dependencies.interface import Findings, Requested, strings, table, text

_CONTENT = 1024**2


class _Computed(Exception):
    """The expression is no literal."""


def setup_cfg_findings(content: bytes | None) -> Findings:
    """What ``setup.cfg`` declares."""
    findings = Findings()
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(content.decode("utf-8-sig") if content is not None else "")
    except (configparser.Error, UnicodeDecodeError) as error:
        findings.problems.append(f"setup.cfg cannot be read: {type(error).__name__}")
        return findings

    def listed(section: str, key: str) -> list[Requested]:
        lines = parser.get(section, key, fallback="").split("\n")
        found = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
        return [Requested(item, f"setup.cfg {key}") for item in found if not item.startswith("file:")]

    if parser.has_option("options", "install_requires"):
        findings.requirements = listed("options", "install_requires")
    findings.legacy_tests = listed("options", "tests_require")
    if parser.has_section("options.extras_require"):
        for extra in parser.options("options.extras_require"):
            findings.extras[extra] = listed("options.extras_require", extra)
    findings.requires_python = parser.get("options", "python_requires", fallback="").strip()
    findings.name = parser.get("metadata", "name", fallback="").strip()
    version = parser.get("metadata", "version", fallback="").strip()
    if version.startswith(("attr:", "file:")):
        findings.version_source = version.partition(":")[0]
    else:
        findings.version = version
    return findings


def setup_py_findings(content: bytes | None) -> Findings:
    """What ``setup.py`` declares in literals."""
    findings = Findings()
    if content is None:
        return findings
    try:
        module = ast.parse(content[:_CONTENT])
        keywords = _setup_keywords(module, findings.problems)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        findings.problems.append(f"setup.py cannot be read: {type(error).__name__}")
        return findings
    if "install_requires" in keywords:
        findings.requirements = _requested(keywords["install_requires"], "install_requires")
    findings.legacy_tests = _requested(keywords.get("tests_require"), "tests_require")
    for extra, items in table(keywords.get("extras_require")).items():
        findings.extras[str(extra)] = _requested(items, f"extra {extra}")
    findings.requires_python = text(keywords.get("python_requires"))
    findings.name, findings.version = text(keywords.get("name")), text(keywords.get("version"))
    if "use_scm_version" in keywords:
        findings.version_source = "setuptools-scm"
    return findings


def _requested(value: object, where: str) -> list[Requested]:
    items = value.split("\n") if isinstance(value, str) else strings(value)
    return [Requested(item.strip(), f"setup.py {where}") for item in items if item.strip()]


def _setup_keywords(module: ast.Module, problems: list[str]) -> dict[str, object]:
    names = _bound_once(module)
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call) and _is_setup(node.func)]
    found: dict[str, object] = {}
    for keyword in calls[0].keywords if calls else []:
        try:
            value = _value(keyword.value, names)
        except _Computed:
            if keyword.arg in (None, "install_requires", "extras_require", "tests_require"):
                problems.append(
                    f"setup.py computes {keyword.arg or 'its keywords'}; it is not run to find out"
                )
            continue
        if keyword.arg is not None:
            found[keyword.arg] = value
        elif isinstance(value, Mapping):
            found |= {str(key): item for key, item in value.items()}
    return found


def _is_setup(function: ast.expr) -> bool:
    return (isinstance(function, ast.Name) and function.id == "setup") or (
        isinstance(function, ast.Attribute) and function.attr == "setup"
    )


def _bound_once(module: ast.Module) -> dict[str, ast.expr]:
    """Names that the whole module binds or changes exactly once, by a plain assignment at its top."""
    stored = Counter(
        node.id for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    changed = {_root(node) for node in ast.walk(module) if isinstance(node, ast.Call | ast.Subscript)}
    return {
        target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and stored[target.id] == 1 and target.id not in changed
    }


def _root(node: ast.Call | ast.Subscript) -> str:
    """The name that a method call or a stored item changes, "" for neither."""
    if isinstance(node, ast.Subscript):
        changes = isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        return node.value.id if changes and isinstance(node.value, ast.Name) else ""
    method = node.func
    return method.value.id if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name) else ""


def _value(node: ast.expr, names: Mapping[str, ast.expr]) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        # A name stands for what precedes it, so its own value may not use it: no cycle.
        return _value(names[node.id], {key: value for key, value in names.items() if key != node.id})
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        items: list[object] = []
        for item in node.elts:
            spread = isinstance(item, ast.Starred)
            inner = _value(item.value if isinstance(item, ast.Starred) else item, names)
            items += strings(inner) if spread else [inner]
        return items
    if isinstance(node, ast.Dict):
        return _mapping(node, names)
    return _composed(node, names)


def _composed(node: ast.expr, names: Mapping[str, ast.expr]) -> object:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _value(node.left, names), _value(node.right, names)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if isinstance(left, list) and isinstance(right, list):
            return left + right
    if isinstance(node, ast.Subscript):
        container, key = _value(node.value, names), _value(node.slice, names)
        if isinstance(container, Mapping) and isinstance(key, str) and key in container:
            return container[key]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return {word.arg: _value(word.value, names) for word in node.keywords if word.arg and not node.args}
    raise _Computed


def _mapping(node: ast.Dict, names: Mapping[str, ast.expr]) -> dict[object, object]:
    found: dict[object, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        inner = _value(value, names)
        if key is not None:
            name = _value(key, names)
            found[name if isinstance(name, str) else str(name)] = inner
        elif isinstance(inner, Mapping):
            found |= inner
    return found
