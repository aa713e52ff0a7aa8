"""Which packages can give tree-sitter its grammars: installs each afresh and parses one line with it.

Run ``python benchmarks/grammar_packages.py`` under each Python of interest; the installs need a package
index, the parsing is done with every proxy pointing nowhere, so that a grammar fetched at run time shows.
Quoted by docs/decisions/0001-grammar-wheels.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

WHEELS = """
import tree_sitter, tree_sitter_python
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
"""
LANGUAGES = """
import tree_sitter_languages
parser = tree_sitter_languages.get_parser("python")
"""
PACK = """
import tree_sitter_language_pack
parser = tree_sitter_language_pack.get_parser("python")
"""
PARSE = """
tree = parser.parse(b"def f(x): return x")
print("parsed", tree.root_node.type if hasattr(tree.root_node, "type") else "something")
"""

# Requirements -> the program that has to work.
CANDIDATES = {
    ("tree-sitter==0.26.1", "tree-sitter-python==0.25.0"): WHEELS,
    ("tree-sitter==0.26.1", "tree-sitter-languages==1.10.2"): LANGUAGES,
    ("tree-sitter==0.21.3", "tree-sitter-languages==1.10.2"): LANGUAGES,
    ("tree-sitter-language-pack",): PACK,
}
OFFLINE = {name: "http://127.0.0.1:9" for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """What a program had to say in the end."""
    text = done.stderr if done.returncode else done.stdout
    return (text.strip().splitlines() or ["nothing"])[-1][:90]


def attempt(requirements: tuple[str, ...], program: str) -> str:
    """Install ``requirements`` from wheels into a new environment, parse offline, and say what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *requirements]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"not installable: {last_line(done)}"
        environment = {**os.environ, **OFFLINE, "HOME": folder, "XDG_CACHE_HOME": folder}
        argv = [python, "-c", program + PARSE]
        return last_line(subprocess.run(argv, capture_output=True, text=True, check=False, env=environment))


def main() -> None:
    """Print one line per candidate."""
    print(f"Python {sys.version.split()[0]}")
    for requirements, program in CANDIDATES.items():
        print(f"  {' + '.join(requirements)}\n      {attempt(requirements, program)}")


if __name__ == "__main__":
    main()
