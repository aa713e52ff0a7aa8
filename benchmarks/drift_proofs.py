"""Runtime proofs of mutants: what Python itself says of a name before and after, asked inside the sandbox.

All trees lie side by side in one checkout; a small script imports each in a process of its own and writes
down the name's *fingerprint*: kind, signature, bases, abstract members, value, what the module offers. A
mutant whose fingerprint is the original's proves nothing and is left out.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import anyio
from drift_operators import Mutant

from repo_guardian.sandbox.interface import Limits, SandboxSpec
from repo_guardian.sandbox.registry import select

GUEST = """
import importlib, inspect, json, os, re, sys

def fingerprint(module, qualname):
    found = importlib.import_module(module)
    if not qualname:
        return ["module", sorted(getattr(found, "__all__", ()))]
    owner, static = None, found
    for part in qualname.split("."):
        owner, static = (found, inspect.getattr_static(found, part))
        found = getattr(found, part)
    said = [type(static).__name__]
    try:
        said.append(str(inspect.signature(found)))
    except (TypeError, ValueError):
        said.append("")
    for test in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction):
        said.append(test(inspect.unwrap(found) if callable(found) else found))
    if isinstance(found, type):
        said += [[b.__qualname__ for b in found.__mro__], sorted(getattr(found, "__abstractmethods__", ()))]
        said.append(list(getattr(found, "_fields", ())))
    said.append(getattr(static, "fset", None) is not None)
    code = getattr(inspect.unwrap(found) if callable(found) else found, "__code__", None)
    said.append(code is not None and "BufferError" in code.co_names)
    if not callable(found) and not inspect.ismodule(found):
        said.append(repr(found)[:500])
    return said

def child(job, out):
    sys.path[:0] = [job["root"], "/repo/dependencies"]
    try:
        said = fingerprint(job["module"], job["qualname"])
    except BaseException as error:
        said = ["failed", type(error).__name__, str(error)]
    text = re.sub(r" at 0x[0-9a-f]+", "", json.dumps(said, default=str)).replace(job["root"], "")
    with os.fdopen(out, "w") as stream:
        stream.write(text)
    os._exit(0)

for job in json.load(sys.stdin):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        child(job, writer)
    os.close(writer)
    with os.fdopen(reader) as stream:
        print(json.dumps(stream.read()), flush=True)
    os.wait()
"""
_BATCH = 40


def write_trees(packages: Sequence[Path], mutants: Sequence[tuple[Path, Mutant]], root: Path) -> None:
    """``base_NAME`` for each package, ``mutant_N`` for each mutant, and ``dependencies`` for all."""
    for package in packages:
        shutil.copytree(package, root / f"base_{package.name}" / package.name, ignore=_compiled)
    for number, (package, mutant) in enumerate(mutants):
        top = root / f"mutant_{number}"
        shutil.copytree(package, top / package.name, ignore=_compiled)
        for path, text in mutant.files.items():
            if text is None:
                (top / path).unlink()
            else:
                (top / path).write_text(text, "utf-8")
    _dependencies(packages, root / "dependencies")


_compiled = shutil.ignore_patterns("__pycache__", "*.pyc")


def _dependencies(packages: Iterable[Path], folder: Path) -> None:
    """Copies of what the packages import and this environment has, as far as that goes."""
    folder.mkdir()
    waiting, known = list(packages), {package.name for package in packages}
    while waiting:
        for name in _imported(waiting.pop()) - known - sys.stdlib_module_names:
            known.add(name)
            spec = importlib.util.find_spec(name)
            if spec is None or spec.origin is None:
                continue
            origin = Path(spec.origin)
            if not spec.submodule_search_locations:
                shutil.copy(origin, folder)
                continue
            shutil.copytree(origin.parent, folder / name, ignore=_compiled)
            waiting.append(origin.parent)


def _imported(package: Path) -> set[str]:
    found: set[str] = set()
    for path in package.rglob("*.py"):
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.partition(".")[0])
    return found


def proven(
    packages: Sequence[Path], mutants: Sequence[tuple[Path, Mutant]], root: Path, sandbox: str
) -> list[bool]:
    """Whether each mutant's name is something else than the original's."""
    jobs = []
    for number, (package, mutant) in enumerate(mutants):
        for tree in (f"base_{package.name}", f"mutant_{number}"):
            jobs.append({"root": f"/repo/{tree}", "module": mutant.module, "qualname": mutant.qualname})
    said = anyio.run(_run, root, jobs, sandbox)
    pairs = zip(said[::2], said[1::2], strict=True)
    return [
        bool(before) and not before.startswith('["failed"') and before != after for before, after in pairs
    ]


async def _run(root: Path, jobs: list[dict[str, str]], name: str) -> list[str]:
    said: list[str] = []
    backend = await select(name)
    async with backend.open(SandboxSpec(root, "0" * 40, limits=Limits(wall_s=300, cpu_s=300))) as sandbox:
        for start in range(0, len(jobs), _BATCH):
            batch = jobs[start : start + _BATCH]
            command = [sandbox.python, "-B", "-c", GUEST]
            result = await sandbox.run(command, stdin=json.dumps(batch).encode())
            lines = [json.loads(line) for line in result.stdout.split(b"\n") if line]
            if len(lines) != len(batch):
                raise SystemExit(f"the proofs ended early: {result.stderr.decode('utf-8', 'replace')[-800:]}")
            said += lines
    return said
