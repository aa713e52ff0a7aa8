"""Requirement strings of strangers: which may reach an installer, and in which form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Accepted:
    """``requirements`` in canonical form, sorted, without repetition; ``problems`` says what was left out."""

    requirements: tuple[str, ...]
    problems: tuple[str, ...]


def accept_requirements(texts: Sequence[str]) -> Accepted:
    """Sort out what names a release of a package index (PEP 508, without a URL).

    Options (``-e``, ``--index-url``), addresses, local paths and anything that spans lines are left out.
    What is accepted is written anew from the parsed parts, so nothing else can reach the installer.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    requirements: set[str] = set()
    problems: list[str] = []
    for text in texts:
        shown = ascii(text if len(text) <= 120 else text[:120] + "...")
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            problems.append(f"{shown} is left out: it is not a requirement by name and version")
            continue
        if requirement.url is not None:
            problems.append(f"{shown} is left out: only releases of a package index are taken, no address")
            continue
        requirements.add(str(requirement))
    return Accepted(tuple(sorted(requirements)), tuple(problems))
