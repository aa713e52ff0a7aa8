"""Attacks through the network and through sockets of the host."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from repo_guardian.sandbox.conformance.frame import demand
from repo_guardian.sandbox.hostile.frame import Arena, Attack, refused
from repo_guardian.sandbox.interface import ProcessStatus

_OPEN = """
import socket
def reach(label, family, kind, address):
    def connect():
        with socket.socket(family, kind) as s:
            s.settimeout(1)
            s.connect(address)
            s.send(b"x")
    attempt(label, connect)
"""
_TCP = """
port = int(sys.argv[1])
for host in ("127.0.0.1", "0.0.0.0", "localhost", *sys.argv[2:], "192.0.2.1", "1.1.1.1"):
    reach(host, socket.AF_INET, socket.SOCK_STREAM, (host, port))
reach("::1", socket.AF_INET6, socket.SOCK_STREAM, ("::1", port))
reach("2001:db8::1", socket.AF_INET6, socket.SOCK_STREAM, ("2001:db8::1", 80))
"""
_UDP = """
port = int(sys.argv[1])
for host in (*sys.argv[2:], "192.0.2.1", "224.0.0.1", "255.255.255.255", "8.8.8.8"):
    reach(host, socket.AF_INET, socket.SOCK_DGRAM, (host, port))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    for host in ("127.0.0.1", *sys.argv[2:]):
        try:
            s.sendto(sys.argv[1].encode(), (host, port))
        except OSError:
            pass
"""
_DNS = """
for name in ("example.com", "metadata.google.internal", "host.docker.internal", "host.containers.internal"):
    attempt(name, lambda: socket.getaddrinfo(name, 80))
query = bytes.fromhex("abcd01000001000000000000076578616d706c6503636f6d0000010001")
servers = ["8.8.8.8", "127.0.0.53", "10.0.2.3"]
try:
    lines = [line.split() for line in open("/etc/resolv.conf")]
    servers += [words[1] for words in lines if len(words) > 1 and words[0] == "nameserver"]
except OSError:
    pass
def ask(server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(0.3)
        s.sendto(query, (server, 53))
        s.recv(512)
for server in servers:
    attempt(server, lambda: ask(server))
"""
_METADATA = """
for host in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192"):
    reach(host, socket.AF_INET, socket.SOCK_STREAM, (host, 80))
reach("fd00:ec2::254", socket.AF_INET6, socket.SOCK_STREAM, ("fd00:ec2::254", 80))
"""
_UNIX = """
reach("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + sys.argv[1])
for path in sys.argv[2:]:
    reach(path, socket.AF_UNIX, socket.SOCK_STREAM, path)
"""
_ENGINES = (
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/user/0/podman/podman.sock",
    "/run/user/1000/podman/podman.sock",
    "/run/user/1000/docker.sock",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/run/systemd/journal/socket",
    "/run/snapd.socket",
    "/tmp/.X11-unix/X0",  # noqa: S108 - inside
    "/dev/log",
)
_FAMILIES = """
named = dict(packet=17, vsock=40, bluetooth=31, can=29, alg=38, xdp=44, tipc=30, qrtr=42, rds=21, nfc=39)
for name, number in named.items():
    attempt(name, lambda: socket.socket(number, socket.SOCK_RAW).close())
    attempt(name, lambda: socket.socket(number, socket.SOCK_DGRAM).close())
    attempt(name, lambda: socket.socket(number, socket.SOCK_SEQPACKET).close())
for protocol in (socket.IPPROTO_ICMP, socket.IPPROTO_RAW, socket.IPPROTO_TCP):
    attempt(f"raw {protocol}", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, protocol).close())
"""
_INTERFACES = """
import fcntl, struct
attempt("another interface", lambda: 0 if {name for _, name in socket.if_nameindex()} - {"lo"} else -1)
routes = [line.split() for line in open("/proc/net/route")][1:]
attempt("a route", lambda: 0 if any(words[0] != "lo" for words in routes) else -1)
with socket.socket() as s:
    raised = struct.pack("16sh14x", b"lo", 0)
    attempt("interface down", lambda: fcntl.ioctl(s, 0x8914, raised))
    attempt("interface named", lambda: fcntl.ioctl(s, 0x8923, struct.pack("16s16s", b"lo", b"x")))
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as s:
    s.bind((0, 0))
    body = struct.pack("BBBBBBBBI", 2, 0, 0, 0, 254, 3, 0, 1, 0) + struct.pack("HHI", 8, 4, 1)
    s.send(struct.pack("IHHII", 16 + len(body), 24, 0x405, 1, 0) + body)
    code = struct.unpack("i", s.recv(4096)[16:20])[0]
    attempt("route added", lambda: code)
"""


@contextmanager
def _host_servers() -> Iterator[tuple[socket.socket, socket.socket, socket.socket, socket.socket]]:
    """Servers of the host: TCP and UDP on every address, an abstract socket, a socket file anyone may use."""
    with ExitStack() as stack:
        tcp = stack.enter_context(closing(socket.create_server(("", 0))))
        udp = stack.enter_context(closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)))
        udp.bind(("", tcp.getsockname()[1]))
        abstract, named = (stack.enter_context(closing(socket.socket(socket.AF_UNIX))) for _ in range(2))
        abstract.bind(f"\0guardian-{secrets.token_hex(8)}")
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="guardian-check-")))
        folder.chmod(0o755)
        named.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o666)
        for server in (abstract, named):
            server.listen()
        for server in (tcp, udp, abstract, named):
            server.setblocking(False)
        yield tcp, udp, abstract, named


def _addresses() -> list[str]:
    """Addresses of this host as it knows them without asking anyone."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses a source address
        except OSError:
            return []
        return [probe.getsockname()[0]]


def _demand_untouched(server: socket.socket) -> None:
    try:
        server.accept() if server.type == socket.SOCK_STREAM else server.recv(100)
    except BlockingIOError:
        return
    demand(False, "a server of the host was reached")


async def tcp(arena: Arena) -> tuple[ProcessStatus, str]:
    """Neither a server of the host nor any other address answers."""
    with _host_servers() as (server, *_):
        port = str(server.getsockname()[1])
        result = await arena.nothing_gained(_OPEN + _TCP, port, *_addresses())
        _demand_untouched(server)
    return result.status, "no connection"


async def udp(arena: Arena) -> tuple[ProcessStatus, str]:
    """No datagram leaves."""
    with _host_servers() as (_, server, *_others):
        port = str(server.getsockname()[1])
        result = await arena.nothing_gained(_OPEN + _UDP, port, *_addresses())
        _demand_untouched(server)
    return result.status, "no datagram"


async def unix_sockets(arena: Arena) -> tuple[ProcessStatus, str]:
    """Sockets of the host cannot be reached, neither by abstract name nor by path."""
    with _host_servers() as (_tcp, _udp, abstract, named):
        name = os.fsdecode(abstract.getsockname()[1:])
        result = await arena.nothing_gained(_OPEN + _UNIX, name, named.getsockname())
        _demand_untouched(abstract)
        _demand_untouched(named)
    return result.status, "abstract names and files"


async def engine_sockets(arena: Arena) -> tuple[ProcessStatus, str]:
    """No socket of a container engine, of the message bus or of another service is there."""
    result = await arena.nothing_gained(_OPEN + _UNIX, "/org/freedesktop/systemd1/notify", *_ENGINES)
    return result.status, f"{len(_ENGINES)} places"


ATTACKS = (
    Attack("tcp", tcp),
    Attack("udp", udp),
    refused("dns", _OPEN + _DNS, "no name and no server"),
    refused("metadata_address", _OPEN + _METADATA, "no metadata service"),
    Attack("unix_sockets", unix_sockets),
    Attack("engine_sockets", engine_sockets),
    refused("socket_families", _OPEN + _FAMILIES, "no raw, packet, vsock or other family"),
    refused("interfaces", _OPEN + _INTERFACES, "only a loopback that cannot be changed"),
)
