"""What a request may be told beside its text, checked where a framework is told it, by the store's own rules."""

from __future__ import annotations

from coverset.encoders.hybrid import as_parts
from coverset.inputs import as_number
from coverset.store.queries import Parts


def as_asked(parts: object) -> Parts:
    """Return what a request is made of: "auto", None, or texts."""
    if parts is None or (isinstance(parts, str) and parts == "auto"):
        return None if parts is None else "auto"
    return as_parts(parts)


def as_share(share: object) -> float | None:
    """Return the share of words in a score; None: as it comes."""
    return None if share is None else as_number("share", share, 0.0, 1.0)
