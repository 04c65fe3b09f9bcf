"""The log: one JSON object a line, about requests but never with a word of a query or a document in it."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import datetime, timezone

from coverset.plain import Json

LOG = logging.getLogger("coverset.server")


class JsonLines(logging.Formatter):
    """Writes a record, and the `fields` it was given, as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line: Json = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = where(record.exc_info[1])
        return json.dumps(line)


def where(error: BaseException) -> Json:
    """Return an error's type and the places it came through. Its message may quote a document, and stays out."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "type": type(error).__name__,
        "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def start_logging(level: str) -> None:
    """Send the service's, uvicorn's and asyncio's records to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("coverset.server", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level.upper())
