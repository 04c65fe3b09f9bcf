"""What the service allows, in one place: the shape of requests, and how much work at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from coverset.server.keys import Keys

# The shape of requests; these stand in the OpenAPI document.
MOST_K = 100
MOST_COMPARED = 20
MOST_QUERIES = 64
MOST_DOCUMENTS = 1000
MOST_EXAMPLES = 200
LONGEST_QUERY = 2000
LONGEST_TEXT = 100_000
LONGEST_ID = 512
# Settings so weak that nearly every document has weight cost more than an answer is worth.
LEAST_STRENGTH = 1e-3
# Parameters of decoders to which no end is set are not larger than this.
LARGEST = 1e6


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Settings:
    """How the service runs.

    Parameters
    ----------
    keys
        Who may read and who may write; none: everybody on this machine.
    local
        Whether it listens on loopback only. Without keys it then also refuses requests that a web page
        of another site makes through the user's browser.
    connections
        Open at a time; fewer if the system's limit on file handles asks for it.
    body
        The largest request body, in bytes.
    running
        Searches worked on at a time; writes go one by one.
    waiting
        Requests that may wait for their turn; further ones get 429.
    timeout
        Seconds until a request that is not answered gets 503, and until a body must have arrived.
    tuning_timeout
        The same for tuning.
    """

    keys: Keys = field(default_factory=Keys)
    local: bool = True
    connections: int = 512
    body: int = 8 * 2**20
    running: int = field(default_factory=_cores)
    waiting: int = 32
    timeout: float = 30.0
    tuning_timeout: float = 300.0
