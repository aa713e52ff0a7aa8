"""Where the places of a sandbox lie on the host, when nothing can be mounted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """Pairs of inside and host paths, the longest inside path first."""

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, mapping: Mapping[str, Path]) -> Places:
        """From inside path to host path."""
        ordered = sorted(mapping.items(), key=lambda pair: -len(pair[0]))
        return cls(tuple((inside, str(host)) for inside, host in ordered))

    def host(self, text: str) -> str:
        """``text`` with a leading inside path replaced; anything else as it is."""
        for inside, host in self.pairs:
            if text == inside or text.startswith(inside + "/"):
                return host + text[len(inside) :]
        return text

    def arguments(self, argv: Sequence[str]) -> tuple[str, ...]:
        """Each argument that is such a path, replaced; paths inside a longer text are not seen."""
        return tuple(self.host(argument) for argument in argv)

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Each element of each colon-separated value, replaced."""
        return {
            name: ":".join(self.host(part) for part in value.split(":"))
            for name, value in environment.items()
        }
