"""The colours of the page: each pair of text and ground on it is readable (WCAG 2.2, 1.4.3: 4.5 to 1)."""

from __future__ import annotations

import re
from importlib import resources

import pytest

GROUNDS = {
    "page": ("ink", "soft"),
    "card": ("ink", "soft", "accent", "good", "bad"),
    "sunk": ("ink", "soft", "kw", "str", "com", "name", "num"),
    "accent-soft": ("ink", "accent"),
    "good-soft": ("ink", "soft", "good"),
    "bad-soft": ("ink", "soft", "bad"),
    "warn-soft": ("ink", "warn"),
    "mark": ("ink",),
}
PAIRS = [(text, ground) for ground, texts in GROUNDS.items() for text in texts]


def palettes():
    """The variables of the style sheet, for light and for dark."""
    folder = resources.files("repo_guardian.client.report").joinpath("templates")
    css = folder.joinpath("report.css").read_text(encoding="utf-8")
    first, second = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in (first, second))
    return {"light": light, "dark": light | dark}


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable(scheme):
    colours = palettes()[scheme]
    poor = {pair: round(contrast(*(colours[name] for name in pair)), 2) for pair in PAIRS}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 4.5} == {}


def test_the_measure_is_right():
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert round(contrast("#767676", "#ffffff"), 2) == 4.54
