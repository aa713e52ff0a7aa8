#!/usr/bin/env bash
# Makes the development environment: system packages, .venv, the hash-locked dependencies, the project.
#
# Does nothing, and touches no network, when the environment already matches what it is made from. The
# stamp holds a hash of the inputs' *content*, so switching branches back and forth costs nothing, and of
# the folder, because neither a virtual environment nor an editable install survives being moved.
#
# PYTHON=/path/to/python picks the interpreter; otherwise the newest suitable one is found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VENV=.venv
readonly STAMP=$VENV/.setup-complete

# At least 3.11, able to make a virtual environment, and built with what the program needs.
readonly SUITABLE='
import sys
assert sys.version_info >= (3, 11)
import ensurepip, sqlite3, ssl, venv
'

say() { printf 'setup: %s\n' "$*" >&2; }

fail() {
    say "$@"
    exit 3
}

# Prints the first suitable interpreter, or nothing.
find_python() {
    local candidate
    local -a candidates=(python3.13 python3.12 python3.11 python3)
    [[ -z ${PYTHON:-} ]] || candidates=("$PYTHON")
    for candidate in "${candidates[@]}"; do
        if "$candidate" -c "$SUITABLE" >/dev/null 2>&1; then
            command -v "$candidate"
            return
        fi
    done
}

missing_packages() {
    command -v git >/dev/null || echo git
    command -v bwrap >/dev/null || echo bubblewrap
    [[ -n ${PYTHON:-} || -n $(find_python) ]] || printf '%s\n' python3 python3-venv
}

install_system_packages() {
    local -a missing
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    command -v apt-get >/dev/null ||
        fail "install ${missing[*]} with this system's package manager, then run make again"
    ((EUID == 0)) ||
        fail "run this once, then run make again:  sudo apt-get install --yes ${missing[*]}"
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q >&2
    apt-get install -q --yes --no-install-recommends "${missing[@]}" </dev/null >&2
}

fingerprint() {
    { cat requirements.lock pyproject.toml setup.py scripts/setup.sh; pwd; } | sha256sum
}

# An environment made with PYTHON= is kept by calls that name none.
up_to_date() {
    local made_from made_with
    [[ -f $STAMP ]] || return 1
    { read -r made_from; read -r made_with; } <"$STAMP"
    [[ $made_from == "$(fingerprint)" && ${PYTHON:-$made_with} == "$made_with" ]]
}

# Whether what is there can be brought up to date in place, while others are using it.
reusable() {
    [[ -z ${PYTHON:-} ]] && "$VENV/bin/python" -c "$SUITABLE" 2>/dev/null &&
        grep -qsF "$PWD/$VENV/bin/python" "$VENV/bin/pip"
}

create_environment() {
    local python=$1
    say "creating $VENV with $("$python" --version)"
    "$python" -m venv --clear "$VENV"
}

install_dependencies() {
    local -a install=("$VENV/bin/python" -m pip --disable-pip-version-check --no-input install --quiet)
    say "installing the locked dependencies"
    "${install[@]}" --require-hashes --requirement requirements.lock
    # setuptools came with the lock, so the build backend needs nothing from any index.
    "${install[@]}" --no-index --no-deps --no-build-isolation --editable .
}

main() {
    local python
    install_system_packages
    # Two calls at once would install into each other's half-made environment.
    exec 9<scripts/setup.sh
    flock 9
    if up_to_date; then
        return
    fi
    python=$(find_python)
    if [[ -z $python ]]; then
        fail "${PYTHON:-python3} is not Python 3.11 or later with venv, ssl and sqlite3;" \
            "name one that is: make setup PYTHON=/path/to/python"
    fi
    reusable || create_environment "$python"
    rm -f "$STAMP"
    install_dependencies
    { fingerprint; echo "${PYTHON:-$python}"; } >"$STAMP"
}

main
