"""Where networks run: the processor, or a device that torch knows."""

from __future__ import annotations

import os

from coverset.extras import require

# What is taken where nobody says: what this variable of the environment says, or `auto`.
VARIABLE = "COVERSET_DEVICE"
ACCEPTED = "auto, cpu, cuda, cuda:N or mps"


def pick(name: str | None = None) -> str:
    """Return the device of that name, as torch calls it; refuse one that is not there.

    `auto` takes a CUDA device, or Apple's, if there is one. None: what $COVERSET_DEVICE says, or `auto`.
    """
    torch = require("torch", "train")
    wanted = name or os.environ.get(VARIABLE) or "auto"
    cuda = torch.cuda.device_count() if torch.cuda.is_available() else 0
    mps = int(torch.backends.mps.is_available())
    if wanted == "auto":
        return "cuda:0" if cuda else "mps" if mps else "cpu"
    kind, _, number = wanted.partition(":")
    if kind not in ("cpu", "cuda", "mps") or (":" in wanted and (kind != "cuda" or not number.isdecimal())):
        raise ValueError(f"device must be {ACCEPTED}, got {wanted!r}")
    if int(number or 0) >= {"cpu": 1, "cuda": cuda, "mps": mps}[kind]:
        found = ["cpu", *(f"cuda:{n}" for n in range(cuda)), *["mps"] * mps]
        raise ValueError(f"device {wanted!r} is not here; there is: {', '.join(found)}")
    return f"cuda:{number or 0}" if kind == "cuda" else kind


def has_bfloat16(device: str) -> bool:
    """Say whether networks are to be trained in bfloat16 there: where the device computes in it.

    Vectors that are kept are made in float32 everywhere, so that they are the same wherever they were made.
    """
    torch = require("torch", "train")
    if device == "cpu":
        able = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
        return bool(able.get("avx512_bf16") or able.get("amx_bf16"))
    return device.startswith("cuda") and bool(torch.cuda.is_available() and torch.cuda.is_bf16_supported())


def told(device: str) -> str:
    """Describe a device for people."""
    torch, halves = require("torch", "train"), ", bfloat16" if has_bfloat16(device) else ""
    if device.startswith("cuda"):
        return f"{device} ({torch.cuda.get_device_name(device)}{halves})"
    return (
        "Apple's GPU (mps)" if device == "mps" else f"the processor (threads: {torch.get_num_threads()}{halves})"
    )
