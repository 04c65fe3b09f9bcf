"""Documents out of files: what people have, read, cut into passages, with a word on what was left out."""

from coverset.sources.passages import passages
from coverset.sources.reading import Read, Skipped, Source, check_sources, read_sources

__all__ = ["Read", "Skipped", "Source", "check_sources", "passages", "read_sources"]
