"""Code in the HTML report: highlighted tests, evidence diffs, and what differs between two signatures.

Everything returned is markup whose texts are escaped and free of control characters; everything taken is a
stranger's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from markupsafe import Markup, escape

from repo_guardian.client.printable import printable

HIGHLIGHTED_CHARS = 20_000
"""Longer code is shown without colours: a lexer's regular expressions are not made for absurd sizes."""

COMPARED_TOKENS = 600
"""Longer pairs of signatures are shown without marks: comparing them is quadratic."""

_LONG = re.compile(r"[^\s<>]{25,}")
_JOINT = re.compile(r"(?<=\w[./])(?=\w)(?!(?:pyi?|js|ts|go|rs|java|md|toml|txt)\b)")
_UNDERSCORE = re.compile(r"(?<=[^\W_])(?=_+\w)")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_PARTS = re.compile(r"(, |\(|\)| -> )")
_DIFF_CLASSES = {"+": "restored", "-": "taken", "@": "hunk"}


def one_line(text: str) -> str:
    """One line, control characters shown as escapes."""
    return printable(" ".join(text.split()))


def many_lines(text: str) -> str:
    r"""The lines as they are, control characters in them shown as escapes; only ``\n`` ends a line."""
    return "\n".join(printable(line) for line in text.strip("\n").split("\n"))


def breakable(text: str) -> Markup:
    """One line in which long names may break: after a dot or a slash, very long ones before an underscore."""
    clean = str(escape(one_line(text)))
    broken = _LONG.sub(lambda word: "<wbr>".join(map(_parted, _JOINT.split(word[0]))), clean)
    return Markup(broken)  # noqa: S704  escaped


def _parted(part: str) -> str:
    return _UNDERSCORE.sub("<wbr>", part) if _LONG.fullmatch(part) else part


def python(text: str) -> Markup:
    """A block of Python with a class per kind of token."""
    clean = many_lines(text)
    if len(clean) > HIGHLIGHTED_CHARS:
        return _block("code", escape(clean))
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers.python import PythonLexer

    markup = highlight(clean, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    return _block("code", Markup(markup.rstrip("\n")))  # noqa: S704  the formatter escapes


def diff(text: str) -> Markup:
    """An evidence diff; a class per line says what was restored and what was taken out."""
    return _block("diff", Markup("\n").join(_diff_lines(many_lines(text).split("\n"))))


def plain(text: str) -> Markup:
    """A block of text as it is."""
    return _block("text", escape(many_lines(text)))


def compared(before: str, after: str) -> tuple[Markup, Markup]:
    """Two one-line texts with what only one of them holds marked in each.

    Signatures are compared parameter by parameter, anything else word by word.
    """
    texts = one_line(before), one_line(after)
    old, new = (_PARTS.split(text) for text in texts)
    if min(len(old), len(new)) < 5:
        old, new = (_TOKEN.findall(text) for text in texts)
    if not all(texts) or max(len(old), len(new)) > COMPARED_TOKENS:
        return escape(texts[0]), escape(texts[1])
    left, right = [], []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left.append(_marked(tag != "equal", old[a:b]))
        right.append(_marked(tag != "equal", new[c:d]))
    return Markup("").join(left), Markup("").join(right)


def _diff_lines(lines: Iterable[str]) -> Iterable[Markup]:
    in_hunk = False
    for line in lines:
        in_hunk = line.startswith("@@") or (in_hunk and not line.startswith("--- current/"))
        name = _DIFF_CLASSES.get(line[:1], "same") if in_hunk else "file"
        yield Markup('<span class="{}">{}</span>').format(name, line)


def _marked(differs: bool, tokens: list[str]) -> Markup:
    """The tokens as one text; what separates parameters is left unmarked at both ends."""
    text = "".join(tokens)
    middle = text.strip(", ")
    if not differs or not middle:
        return escape(text)
    head, _, tail = text.partition(middle)
    return Markup("{}<mark>{}</mark>{}").format(head, middle, tail)


def _block(kind: str, content: Markup) -> Markup:
    """``tabindex`` lets a keyboard scroll it."""
    return Markup('<pre class="{}" tabindex="0"><code>{}</code></pre>').format(kind, content)
