"""The runtime image: which one a sandbox runs, and how it is made.

It holds a Python without any package, git, patch, and the standard library's bytecode at the only place
where Python looks for it inside; with ``--with-compiler`` also a C compiler and Python's headers. It is made
from the official Python image, pinned by digest, where a registry can be reached, else from the packages of
the distribution. Either way the root file system passes ``archive.py``, so its digest says what is in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.container.archive import normalize_layer, write_archive
from repo_guardian.sandbox.environment import BYTECODE

if TYPE_CHECKING:
    from repo_guardian.sandbox.container.engine import Engine

REPOSITORY = "localhost/repo-guardian"
COMPILED = "/usr/lib/guardian/bytecode"
"""Inside the image: bytecode of the standard library, below the path that each source has."""

BASE = (
    "docker.io/library/python:3.12-slim"
    "@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea"
)
"""The base where a registry can be reached."""

_LABEL = "repo-guardian."
_FACTS = "usr/lib/guardian/facts.json"
_PACKAGES = ("git", "patch")
_COMPILER = ("gcc", "libc6-dev")
_SETUP = f"""
import compileall, json, os, re, shutil, sys, sysconfig
library = sysconfig.get_path("stdlib")
for name in ("purelib", "platlib"):
    shutil.rmtree(sysconfig.get_path(name), ignore_errors=True)
sys.pycache_prefix = {COMPILED!r}
skipped = re.compile(r"/(test|tests|idlelib|lib2to3|turtledemo|ensurepip)/")
mode = __import__("py_compile").PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir(library, quiet=2, rx=skipped, invalidation_mode=mode)
for folder in ("/repo", "/out", "/tmp", {str(Path(BYTECODE).parent)!r}):
    os.makedirs(folder, exist_ok=True)
major, minor = sys.version_info[:2]
path = os.path.join(sys.prefix, "bin", f"python{{major}}.{{minor}}")
with open("/{_FACTS}", "w") as stream:
    json.dump({{"version": [major, minor], "path": path}}, stream)
"""
_HINT = "run `guardian sandbox build`"


def _recipe() -> str:
    text = json.dumps([_SETUP, _PACKAGES, _COMPILER, Path(__file__).with_name("archive.py").read_text()])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def tag(*, compiler: bool) -> str:
    """The image's name: it follows from how it is made, so that an older recipe's is never used."""
    return f"{REPOSITORY}:{_recipe()}{'-compiler' if compiler else ''}"


@dataclass(frozen=True, slots=True)
class Image:
    """A runtime image on an engine.

    ``digest`` (``sha256:…``) is that of its configuration, which covers its layer; ``base`` says what it was
    made from; ``python`` is the interpreter's absolute path inside and ``version`` its ``(major, minor)``.
    """

    digest: str
    base: str
    python: str
    version: tuple[int, int]
    compiler: bool


def find_image(engine: Engine) -> Image:
    """The runtime image on ``engine``, the one with a compiler first.

    Raises:
        SandboxUnavailableError: there is none; the hint says how to make it.
    """
    for compiler in (True, False):
        found = engine.image(tag(compiler=compiler))
        if found is None:
            continue
        digest, labels = found
        facts = json.loads(labels.get(f"{_LABEL}python", "{}"))
        if facts:
            version = (int(facts["version"][0]), int(facts["version"][1]))
            return Image(digest, labels.get(f"{_LABEL}base", ""), str(facts["path"]), version, compiler)
    raise SandboxUnavailableError(f"{engine.name} has no runtime image", hint=_HINT)


def build_image(
    engine: Engine, *, compiler: bool = False, base: str | None = None, say: Callable[[str], None]
) -> Image:
    """Make the runtime image on ``engine``, replacing one of the same name; ``say`` is told of each step.

    ``base`` is an image pinned by digest, ``"packages"`` for the distribution's own packages, or None for
    the first of these that works.

    Raises:
        SandboxUnavailableError: the image cannot be made; the hint says what is missing.
    """
    with tempfile.TemporaryDirectory(prefix="guardian-image-") as folder:
        archive = make_archive(engine, Path(folder), compiler=compiler, base=base, say=say)
        say(f"loading the image into {engine.name}")
        engine.load(archive)
    return find_image(engine)


def make_archive(
    engine: Engine, folder: Path, *, compiler: bool, base: str | None, say: Callable[[str], None]
) -> Path:
    """Write the image as an archive that any engine loads into ``folder``; ``engine`` pulls its base.

    Raises:
        SandboxUnavailableError: the image cannot be made; the hint says what is missing.
    """
    raw, layer, archive = (folder / name for name in ("raw.tar", "layer.tar", "image.tar"))
    origin = _root_file_system(engine, raw, compiler=compiler, base=base, say=say)
    with raw.open("rb") as source, layer.open("wb") as target:
        normalize_layer(source, target)
    raw.unlink()
    with tarfile.open(layer) as tree, tree.extractfile(_FACTS) or _missing(_FACTS) as stream:
        facts = json.load(stream)
    labels = {f"{_LABEL}base": origin, f"{_LABEL}python": json.dumps(facts, sort_keys=True)}
    write_archive(layer, tag(compiler=compiler), labels, archive)
    layer.unlink()
    return archive


def _missing(name: str) -> tarfile.ExFileObject:
    raise SandboxUnavailableError(f"the image holds no {name}")


def _root_file_system(
    engine: Engine, target: Path, *, compiler: bool, base: str | None, say: Callable[[str], None]
) -> str:
    packages = (*_PACKAGES, *(_COMPILER if compiler else ()))
    if base != "packages":
        reference = base or BASE
        say(f"pulling {reference}")
        failure = engine.pull(reference)
        if not failure:
            say(f"installing {' '.join(packages)}")
            _from_base(engine, reference, packages, target)
            return reference
        if base is not None:
            raise SandboxUnavailableError(f"cannot pull {base}: {failure}", hint="name another base")
        say(f"no registry: {failure}")
    return _from_packages(packages, target, compiler=compiler, say=say)


def _from_base(engine: Engine, reference: str, packages: tuple[str, ...], target: Path) -> None:
    install = "apt-get update && apt-get install --yes --no-install-recommends"
    script = f'set -e; {install} {" ".join(packages)}; exec python3 -I -c "$1"'
    engine.run_and_export(reference, ["sh", "-c", script, "sh", _SETUP], target)


def _from_packages(
    packages: tuple[str, ...], target: Path, *, compiler: bool, say: Callable[[str], None]
) -> str:
    program = shutil.which("mmdebstrap", path=f"{os.defpath}:/usr/sbin")
    if program is None:
        raise SandboxUnavailableError(
            "no registry can be reached and mmdebstrap is not installed", hint="apt-get install mmdebstrap"
        )
    suite = _suite()
    wanted = ",".join(("python3", *packages, *(("python3-dev",) if compiler else ())))
    say(f"bootstrapping {suite} with {wanted} (about a minute)")
    # mmdebstrap hands a hook to a shell with the root's path as $1; the text is ours alone. No file holds it:
    # for an ordinary user the hook runs in a user namespace that may not look into that user's folders.
    excluded = ("doc", "man", "locale", "info")
    command = [
        *(program, "--quiet", "--variant=minbase", f"--include={wanted}"),
        *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in excluded),
        f'--customize-hook=chroot "$1" python3 -I -c {shlex.quote(_SETUP)}',
        *(suite, str(target)),
    ]
    environment = {"PATH": f"{os.defpath}:/usr/sbin:/sbin", "SOURCE_DATE_EPOCH": "315532800"}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603 - fixed
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise SandboxUnavailableError(
            f"mmdebstrap failed: {lines[-1] if lines else done.returncode}",
            hint="the distribution's packages must be reachable; try again as root",
        )
    return f"{suite} packages"


def _suite() -> str:
    fields = dict(
        line.partition("=")[::2] for line in Path("/etc/os-release").read_text().splitlines() if "=" in line
    )
    suite = fields.get("VERSION_CODENAME", "").strip('"')
    if not suite:
        raise SandboxUnavailableError(
            "this distribution names no suite to bootstrap",
            hint="`guardian sandbox build --base IMAGE@sha256:…`",
        )
    return suite
