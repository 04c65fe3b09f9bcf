"""Optional parts: imported where they are used, and named in the error when they are missing."""

from __future__ import annotations

import importlib
import importlib.util

from coverset.plain import Foreign


def require(module: str, extra: str, *, run: bool = True) -> Foreign:
    """Import a module that an extra brings, or say which extra to install.

    With `run` false, only check that it is there.
    """
    if importlib.util.find_spec(module.split(".")[0]) is None:
        raise ImportError(f"{module} is not installed: pip install 'coverset[{extra}]' brings it")
    return importlib.import_module(module) if run else None
