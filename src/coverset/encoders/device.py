"""Where networks run: the processor, or a device that torch knows."""

from __future__ import annotations

import os
from typing import Any

from coverset.extras import require

# What is taken where nobody says: `auto`, or what this variable of the environment says.
VARIABLE = "COVERSET_DEVICE"
ACCEPTED = "auto, cpu, cuda, cuda:N or mps"


def pick(name: str | None = None) -> str:
    """Return the device of that name, as torch calls it; refuse one that is not there.

    `auto` takes a CUDA device, or Apple's, if there is one. None: `auto`, or what $COVERSET_DEVICE says.
    """
    torch = require("torch", "train")
    wanted = name or os.environ.get(VARIABLE) or "auto"
    cuda, mps = torch.cuda.device_count() if torch.cuda.is_available() else 0, torch.backends.mps.is_available()
    if wanted == "auto":
        return "cuda:0" if cuda else "mps" if mps else "cpu"
    kind, _, number = wanted.partition(":")
    if kind not in ("cpu", "cuda", "mps") or (number and (kind != "cuda" or not number.isdigit())):
        raise ValueError(f"device must be {ACCEPTED}, got {wanted!r}")
    there = {"cpu": 1, "cuda": cuda, "mps": int(mps)}[kind]
    if int(number or 0) >= there:
        found = ", ".join(["cpu", *(f"cuda:{n}" for n in range(cuda)), *(["mps"] if mps else [])])
        raise ValueError(f"device {wanted!r} is not here; there are: {found}")
    return f"cuda:{number or 0}" if kind == "cuda" else kind


def autocast(device: Any) -> Any:
    """Return a context in which networks compute in bfloat16, where the device has it; elsewhere, nothing changes.

    Only training uses it: vectors that are kept must be the same wherever they were made.
    """
    torch = require("torch", "train")
    kind = torch.device(device).type
    halved = kind == "cuda" and torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    return torch.autocast(kind if halved else "cpu", dtype=torch.bfloat16, enabled=halved)


def told(device: str) -> str:
    """Describe a device for people."""
    torch = require("torch", "train")
    if not device.startswith("cuda"):
        return {"cpu": f"the processor ({torch.get_num_threads()} threads)", "mps": "Apple's GPU (mps)"}[device]
    halved = ", bfloat16" if torch.cuda.is_bf16_supported() else ""
    return f"{device} ({torch.cuda.get_device_name(device)}{halved})"
