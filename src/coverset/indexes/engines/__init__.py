"""Vectors that live in an engine: one engine per file, imported when its index is first named."""
