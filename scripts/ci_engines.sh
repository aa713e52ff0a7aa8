#!/usr/bin/env bash
# Installs what the container backend and the HTML report are tested with, from Debian's packages; does nothing
# when it is there.
#
# No daemon is started: the backend starts a Podman service itself, and the tests start dockerd.
set -euo pipefail

missing=()
for pair in podman:podman dockerd:docker.io mmdebstrap:mmdebstrap runc:runc newuidmap:uidmap chromium:chromium; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
done
if [ ${#missing[@]} -ne 0 ]; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "ci_engines: as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}"
fi

# Rootless Podman is tested as a user with subordinate identities, which useradd hands out.
if [ "${CI:-}" = true ] && [ "$(id -u)" -eq 0 ] && ! grep -qs . /etc/subuid; then
    useradd --create-home guardian-ci
fi
