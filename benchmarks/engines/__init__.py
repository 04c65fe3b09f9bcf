"""Engines measured: see `__main__.py`."""
