"""API keys: who may read, and who may also write."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from coverset.server.listening import is_loopback

Scope = Literal["read", "write"]

SHORTEST = 16
VARIABLES: dict[str, Scope] = {"COVERSET_READ_KEYS": "read", "COVERSET_WRITE_KEYS": "write"}


class Keys:
    """The keys that are accepted, kept as digests; a key that may write may also read."""

    def __init__(self, keys: Iterable[tuple[Scope, str]] = ()) -> None:
        self._digests: list[tuple[bytes, Scope]] = []
        for scope, key in keys:
            if len(key) < SHORTEST or not key.isascii() or not key.isprintable() or " " in key:
                # The key itself stays out of the message, which may end up in a log.
                raise ValueError(
                    f"an API key must have at least {SHORTEST} printable ASCII characters and no spaces; "
                    f"a {scope} key of {len(key)} characters does not"
                )
            self._digests.append((_digest(key), scope))

    def __bool__(self) -> bool:
        """Say whether there is any key; without one, nobody is asked for one."""
        return bool(self._digests)

    def allowed(self, authorization: str) -> Scope | None:
        """Return what a header `Authorization: Bearer KEY` allows."""
        kind, _, key = authorization.partition(" ")
        return self.scope(key.strip()) if kind.lower() == "bearer" else None

    def scope(self, key: str) -> Scope | None:
        """Return what a key may do. It is compared with all keys, in constant time each."""
        digest, found = _digest(key), None
        for known, scope in self._digests:
            if hmac.compare_digest(known, digest) and found != "write":
                found = scope
        return found


def keys_for(host: str, environment: Mapping[str, str], file: Path | None) -> Keys:
    """Return the keys of what listens there; other machines are only served if there are any."""
    keys = read_keys(environment, file)
    if not keys and not is_loopback(host):
        raise ValueError(
            f"host {host!r} can be reached from other machines: give API keys (--keys FILE, COVERSET_WRITE_KEYS), "
            "or listen on 127.0.0.1"
        )
    return keys


def read_keys(environment: Mapping[str, str], file: Path | None) -> Keys:
    """Return the keys of COVERSET_READ_KEYS and COVERSET_WRITE_KEYS (comma-separated), and of a file.

    The file has a line per key, `read KEY` or `write KEY`; empty lines and lines that begin with # are left out.
    """
    keys: list[tuple[Scope, str]] = []
    for variable, scope in VARIABLES.items():
        keys += [(scope, key.strip()) for key in environment.get(variable, "").split(",") if key.strip()]
    if file is not None:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"the key file {file} cannot be read: {type(error).__name__}") from error
        for number, line in enumerate(lines, start=1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2 or words[0] not in ("read", "write"):
                raise ValueError(f"{file}, line {number}: a line must be 'read KEY' or 'write KEY'")
            keys.append(("write" if words[0] == "write" else "read", words[1]))
    return Keys(keys)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
