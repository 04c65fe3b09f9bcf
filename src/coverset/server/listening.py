"""Where to listen: an address that only this machine reaches, or one that others do, and a socket on it."""

from __future__ import annotations

import ipaddress
import socket

from coverset.plain import Json

# Connections taken from the system at a time.
ACCEPTED = 16
# Seconds that requests under way get to finish when a server is told to stop.
GRACE = 10
# How uvicorn runs what is served here: it speaks HTTP, and neither logs nor says what it is.
UVICORN: Json = {
    "ws": "none",
    "lifespan": "on",
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "timeout_graceful_shutdown": GRACE,
}


def is_loopback(host: str) -> bool:
    """Say whether an address can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """Return a socket that accepts connections, and the address at which it is reached."""
    # By its protocol asyncio knows a socket on which to send at once. Else the head and the body of an answer, two
    # writes, would wait for each other: 40 ms and more on a connection that is kept.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ValueError(f"cannot listen on {host}, port {port}: {error.strerror}") from error
    listener.listen(ACCEPTED)
    name = f"[{host}]" if ":" in host else host
    return listener, f"http://{name}:{listener.getsockname()[1]}/"
