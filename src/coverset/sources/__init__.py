"""Documents out of files: what people have, read, cut into passages, with a word on what was left out."""

from coverset.sources.passages import passages
from coverset.sources.reading import Read, Skipped, Source, located, read_sources

__all__ = ["Read", "Skipped", "Source", "located", "passages", "read_sources"]
