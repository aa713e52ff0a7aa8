"""Files and lines that look like secrets: what never enters a view, a prompt or a report.

Two decisions, both on known forms only, since a wrong "secret" hides code from every reader:

- A file is left out whole when its *name* says that it holds credentials (a private key, ``.env``, a
  password file), or when it is neither source code nor prose and its *content* holds a private key or a
  token of a known service.
- Source code and prose are kept: ``mask`` overwrites the secret characters in them with ``*``, byte for
  byte, so that every line and offset stays what it was.

The token forms are those that their issuers document and that gitleaks (config/gitleaks.toml) and
detect-secrets (detect_secrets/plugins) look for. Generic "password = ..." rules and entropy scores are not
among them. detect-secrets 1.5.0 itself was tried on SQLAlchemy's package: 3 CPU seconds per megabyte, and 17
reports in 60 files, all of them documentation or code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from repo_guardian.tools.views.facts.registry import language_of

_SECRET_NAMES = {
    "id_rsa": "a private SSH key",
    "id_dsa": "a private SSH key",
    "id_ecdsa": "a private SSH key",
    "id_ed25519": "a private SSH key",
    ".netrc": "passwords of hosts",
    "_netrc": "passwords of hosts",
    ".pgpass": "database passwords",
    ".my.cnf": "database passwords",
    ".git-credentials": "passwords of git remotes",
    ".htpasswd": "password hashes",
    ".dockercfg": "registry credentials",
    ".dockerconfigjson": "registry credentials",
    ".env": "an environment file",
    ".envrc.local": "an environment file",
    "credentials.json": "a credentials file",
    "credentials.yml": "a credentials file",
    "credentials.yaml": "a credentials file",
    "secrets.json": "a secrets file",
    "secrets.yml": "a secrets file",
    "secrets.yaml": "a secrets file",
    "secrets.toml": "a secrets file",
    "secrets.env": "a secrets file",
    "master.key": "a key file",
    "terraform.tfstate": "Terraform state, which holds credentials in clear",
    "terraform.tfstate.backup": "Terraform state, which holds credentials in clear",
}
"""Base names, lower case."""

_SECRET_SUFFIXES = {
    ".p12": "a key store",
    ".pfx": "a key store",
    ".jks": "a key store",
    ".keystore": "a key store",
    ".kdb": "a password database",
    ".kdbx": "a password database",
    ".ppk": "a private SSH key",
    ".agekey": "a private key",
}

_SECRET_PATHS = (
    (re.compile(r"(^|/)\.aws/credentials$"), "cloud credentials"),
    (re.compile(r"(^|/)\.docker/config\.json$"), "registry credentials"),
    (re.compile(r"(^|/)\.kube/config$"), "cluster credentials"),
    (re.compile(r"(^|/)client_secrets?[^/]*\.json$"), "OAuth client secrets"),
    (re.compile(r"(^|/)service[-_]account[^/]*\.json$"), "a service account's key"),
)

_ENVIRONMENT_FILE = re.compile(r"\.env\.(?P<kind>[^/]+)$|(?P<name>[^/.]+)\.env$")
_HARMLESS_ENVIRONMENTS = re.compile(
    r"example|sample|template|tmpl|dist|default|schema|test|ci\b|md$|py$|ts$|js$"
)
"""Kinds of ``.env.KIND`` and ``KIND.env`` that are meant to be read by everyone."""

_PROSE = frozenset({"md", "markdown", "rst", "txt", "adoc", "asciidoc", "org", "html", "htm", "tex", "ipynb"})
_PROSE_NAMES = ("readme", "changelog", "changes", "contributing", "history", "news", "license", "authors")


class _Form(NamedTuple):
    """A known form of a secret: the group ``secret`` of ``pattern`` is what must not be shown.

    ``keyword`` occurs in every match, so that a file without it is done with one fast search.
    """

    what: str
    keyword: bytes
    pattern: re.Pattern[bytes]


def _form(what: str, keyword: bytes, pattern: bytes) -> _Form:
    return _Form(what, keyword, re.compile(pattern))


_PRIVATE_KEY = (
    rb"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?P<secret>(?:\\[nr]|[rbuf](?=[\"'])|[^0-9A-Za-z+/=]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,80}){1,400}"
    rb"[0-9A-Za-z+/=]{40}[\s\S]{0,20000}?(?=-----END|\Z))"
)
"""A marker with key material behind it, as a file or as a string literal of several lines."""

_FORMS = (
    _form("a private key", b"PRIVATE KEY", _PRIVATE_KEY),
    _form("an AWS access key", b"AKIA", rb"(?<![A-Z0-9])(?P<secret>AKIA[A-Z2-7]{16})(?![A-Z0-9])"),
    _form("an AWS access key", b"ASIA", rb"(?<![A-Z0-9])(?P<secret>ASIA[A-Z2-7]{16})(?![A-Z0-9])"),
    *(
        _form("a GitHub token", prefix, rb"(?<![0-9A-Za-z])(?P<secret>" + prefix + rb"[0-9A-Za-z]{36,255})")
        for prefix in (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_")
    ),
    _form("a GitHub token", b"github_pat_", rb"(?P<secret>github_pat_[0-9A-Za-z_]{60,255})"),
    _form("a GitLab token", b"glpat-", rb"(?P<secret>glpat-[0-9A-Za-z_-]{20,64})"),
    _form(
        "a Slack token", b"xox", rb"(?<![0-9A-Za-z])(?P<secret>xox[abeoprs]-[0-9]{8,14}-[0-9A-Za-z-]{10,250})"
    ),
    _form(
        "a Slack web hook",
        b"hooks.slack.com",
        rb"hooks\.slack\.com/services/(?P<secret>T[0-9A-Z]{8,12}/B[0-9A-Z]{8,12}/[0-9A-Za-z]{24})",
    ),
    _form("a Stripe key", b"k_live_", rb"(?P<secret>[rs]k_live_[0-9A-Za-z]{20,250})"),
    _form(
        "a Google API key", b"AIza", rb"(?<![0-9A-Za-z])(?P<secret>AIza[0-9A-Za-z_-]{35})(?![0-9A-Za-z_-])"
    ),
    _form("a Google OAuth secret", b"GOCSPX-", rb"(?P<secret>GOCSPX-[0-9A-Za-z_-]{28})"),
    _form("an npm token", b"npm_", rb"(?<![0-9A-Za-z])(?P<secret>npm_[0-9A-Za-z]{36})(?![0-9A-Za-z])"),
    _form("a PyPI token", b"pypi-AgE", rb"(?P<secret>pypi-AgE[0-9A-Za-z_-]{50,1000})"),
    _form("an Anthropic key", b"sk-ant-", rb"(?P<secret>sk-ant-[0-9A-Za-z]{2,12}-[0-9A-Za-z_-]{60,150})"),
    _form(
        "an OpenAI key", b"T3BlbkFJ", rb"(?P<secret>sk-[0-9A-Za-z_-]{10,100}T3BlbkFJ[0-9A-Za-z_-]{10,100})"
    ),
    _form("a Hugging Face token", b"hf_", rb"(?<![0-9A-Za-z_])(?P<secret>hf_[A-Za-z]{34})(?![0-9A-Za-z_])"),
    _form("a SendGrid key", b"SG.", rb"(?<![0-9A-Za-z])(?P<secret>SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43})"),
    _form("a DigitalOcean token", b"_v1_", rb"(?P<secret>do[opr]_v1_[0-9a-f]{64})"),
    _form("a Docker token", b"dckr_pat_", rb"(?P<secret>dckr_pat_[0-9A-Za-z_-]{27})"),
    _form("a Databricks token", b"dapi", rb"(?<![0-9A-Za-z])(?P<secret>dapi[0-9a-f]{32})(?![0-9A-Za-z])"),
    _form("a Shopify token", b"shp", rb"(?<![0-9A-Za-z])(?P<secret>shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})"),
    _form("a Vault token", b"hvs.", rb"(?<![0-9A-Za-z])(?P<secret>hvs\.[0-9A-Za-z_-]{90,200})"),
    _form("an Atlassian token", b"ATATT3", rb"(?P<secret>ATATT3[0-9A-Za-z_=-]{180,250})"),
    _form("an age key", b"AGE-SECRET-KEY-1", rb"(?P<secret>AGE-SECRET-KEY-1[0-9A-Z]{58})"),
    _form("an Azure storage key", b"AccountKey=", rb"AccountKey=(?P<secret>[0-9A-Za-z+/]{86}==)"),
    *(
        _form("an npm password", name, name + rb"\s{0,9}=\s{0,9}(?P<secret>[^\s$]{20,200})")
        for name in (b":_authToken", b":_password")
    ),
)

_MIN_DISTINCT = 8
"""A token of fewer different characters is a placeholder (``ghp_xxxxxxxx…``)."""


def looks_secret_path(path: str) -> str:
    """Why a file's name alone says that it holds secrets, as a noun phrase; empty when it does not.

    Args:
        path: relative to the tree, ``/`` as separator.
    """
    lower = path.lower()
    base = lower.rpartition("/")[2]
    reason = _SECRET_NAMES.get(base) or _SECRET_SUFFIXES.get(base[max(base.rfind("."), 0) :], "")
    if reason:
        return reason
    environment = _ENVIRONMENT_FILE.match(base)
    if environment and not _HARMLESS_ENVIRONMENTS.search(environment["kind"] or environment["name"]):
        return "an environment file"
    return next((reason for pattern, reason in _SECRET_PATHS if pattern.search(lower)), "")


def looks_secret(path: str, blob: bytes) -> str:
    """Why a file is to be left out whole, by its name or its content, as a noun phrase; empty when it is not.

    Source code and prose are never left out for their content: see ``mask``.
    """
    reason = looks_secret_path(path)
    if reason or language_of(path) is not None or _is_prose(path):
        return reason
    return next((what for what, _, _ in _found(blob)), "")


def mask(blob: bytes) -> bytes:
    """``blob`` with the characters of secrets overwritten by ``*``; the same object when there are none.

    Length and line ends stay, so that regions and line numbers of the original hold.
    """
    masked: bytearray | None = None
    for _, start, end in _found(blob):
        masked = masked or bytearray(blob)
        masked[start:end] = bytes(byte if byte in b"\r\n" else 42 for byte in blob[start:end])
    return blob if masked is None else bytes(masked)


def _is_prose(path: str) -> bool:
    base = path.rpartition("/")[2].lower()
    return base.rpartition(".")[2] in _PROSE or base.startswith(_PROSE_NAMES)


def _found(blob: bytes) -> Iterator[tuple[str, int, int]]:
    """What the secrets of ``blob`` are, and where, form by form."""
    for what, keyword, pattern in _FORMS:
        if keyword not in blob:
            continue
        for match in pattern.finditer(blob):
            secret = match["secret"]
            if len(set(secret)) >= _MIN_DISTINCT and not secret.endswith(b"EXAMPLE"):
                yield what, *match.span("secret")
