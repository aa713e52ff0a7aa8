"""Which files are left out as secrets, which lines are masked, and that ordinary files are neither."""

from __future__ import annotations

import base64
import hashlib

import pytest

from repo_guardian.tools.views.secrets import looks_secret, looks_secret_path, mask


def material(length: int, seed: str = "x") -> str:
    """Characters that look random, made up anew so that no token stands in this file."""
    data = b"".join(hashlib.sha256(f"{seed}{number}".encode()).digest() for number in range(40))
    return base64.b64encode(data).decode().replace("+", "a").replace("/", "b").replace("=", "")[:length]


def private_key(line_end: str = "\n") -> str:
    body = line_end.join(material(64, str(n)) for n in range(6))
    kind = f"RSA {'PRIVATE'} KEY-----"
    return f"-----BEGIN {kind}{line_end}{body}{line_end}-----END {kind}{line_end}"


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "deploy/.env",
        ".env.production",
        "config/prod.env",
        "home/.ssh/id_rsa",
        ".netrc",
        "a/.aws/credentials",
        "store.p12",
        "keys/release.keystore",
        "terraform.tfstate",
        "config/credentials.yml",
        "client_secret_12.json",
        ".docker/config.json",
        "x/ID_ED25519",
    ],
)
def test_names_that_say_secret(path):
    assert looks_secret_path(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.sample",
        "docs/.env.template",
        "sample.env",
        "id_rsa.pub",
        "src/credentials.py",
        "tools/secrets.py",
        "config.json",
        "environment.yml",
        ".envrc",
        "tests/test_env.py",
        "src/env.ts",
        ".env.test",
        "docs/secrets.md",
        "keyboard.key.png",
        "publickey.pem",
        "certs/ca.crt",
        "aws/credentials.go",
    ],
)
def test_names_that_do_not(path):
    assert looks_secret_path(path) == ""


TOKENS = {
    "an AWS access key": "AKIA" + "QWERTZ2345PLMNJK",
    "a GitHub token": "ghp_" + material(36),
    "a GitLab token": "glpat-" + material(20),
    "a Slack token": "xoxb-123456789012-" + material(24),
    "a Stripe key": "sk_live_" + material(24),
    "a Google API key": "AIza" + material(35),
    "a PyPI token": "pypi-AgE" + material(100),
    "an Anthropic key": "sk-ant-api03-" + material(90),
}


@pytest.mark.parametrize(("what", "token"), TOKENS.items())
def test_a_token_in_a_configuration_file_leaves_it_out(what, token):
    blob = f'{{"name": "value", "token": "{token}"}}\n'.encode()
    assert looks_secret("deploy/settings.json", blob) == what
    assert looks_secret("deploy/settings", blob) == what


@pytest.mark.parametrize("token", TOKENS.values())
@pytest.mark.parametrize("path", ["src/client.py", "README.md", "docs/setup.rst", "web/app.ts", "README"])
def test_source_and_prose_stay_and_are_masked(path, token):
    blob = f'before\nTOKEN = "{token}"\nafter\n'.encode()
    assert looks_secret(path, blob) == ""
    masked = mask(blob)
    assert token.encode() not in masked
    assert len(masked) == len(blob)
    assert masked.startswith(b'before\nTOKEN = "')
    assert masked.endswith(b'*"\nafter\n')


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\\n"])
def test_private_keys(line_end):
    key = private_key(line_end)
    assert looks_secret("certs/server.pem", key.encode()) == "a private key"
    source = f'x = 1\nKEY = b"""{key}"""\ny = 2\n'.encode()
    masked = mask(source)
    assert material(64, "3").encode() not in masked
    assert masked.count(b"\n") == source.count(b"\n")
    assert masked.count(b"\r") == source.count(b"\r")
    assert masked.endswith(b"KEY-----" + line_end.encode() + b'"""\ny = 2\n')


def test_a_key_in_string_literals_line_by_line():
    lines = "".join(f'    b"{line}\\n"\n' for line in private_key().splitlines())
    masked = mask(f"KEY = (\n{lines})\ndef f(): pass\n".encode())
    assert material(64, "2").encode() not in masked
    assert masked.endswith(b"def f(): pass\n")


@pytest.mark.parametrize(
    "text",
    [
        "if line.startswith('-----BEGIN RSA PRIVATE KEY-----'):\n    return parse_a_private_key_of(line)\n",
        "-----BEGIN CERTIFICATE-----\n" + material(200),
        "token: ghp_" + "x" * 36,
        "key: AKIAIOSFODNN7EXAMPLE",
        "password = hunter2",
        "postgresql://scott:tiger@localhost/test",
        "sha512-" + material(86) + "==",
        "integrity: " + material(64),
    ],
)
def test_what_only_looks_alike_is_left_alone(text):
    blob = text.encode()
    assert looks_secret("settings.yaml", blob) == ""
    assert mask(blob) is blob


def test_hostile_bytes_are_read_in_linear_time():
    blob = b"-----BEGIN PRIVATE KEY-----" * 3000 + b"\xff\x00" * 100_000
    assert len(mask(blob)) == len(blob)
    assert looks_secret("x.bin", b"hf_" * 100_000 + b"xoxb-1" * 50_000) == ""
