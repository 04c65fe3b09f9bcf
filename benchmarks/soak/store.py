"""The store: writers killed at any moment, and power lost at every moment between two flushes."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path
from typing import Any

from tests.store.history import Writer, contents, found
from tests.store.power import check, record
from tests.store.words import Words

from coverset import Retriever
from coverset.store import table

# Writes that one series makes; then the next begins with a new store.
WRITES = 200


def kills(folder: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Kill writers with SIGKILL, after a few acknowledged writes and a random pause, until time is up."""
    rng, until = random.Random(seed), time.monotonic() + seconds
    counts = {"kills": 0, "acknowledged": 0, "unacknowledged_but_there": 0, "lost_or_half_there": 0}
    while time.monotonic() < until:
        store, applied = folder / f"{counts['kills']}.cover", 0
        Retriever.open(store, encoder=Words())
        following = Writer(store)
        while applied < WRITES and time.monotonic() < until:
            writer, following = following, Writer(store)
            applied = _kill(writer, applied, rng, counts)
            there = found(Retriever.open(store, encoder=Words(), create=False))
            if there == contents(applied + 1) != contents(applied):
                applied += 1
                counts["unacknowledged_but_there"] += 1
            elif there != contents(applied):
                counts["lost_or_half_there"] += 1
                break
        following.kill()
        shutil.rmtree(store)
    return counts


def _kill(writer: Writer, applied: int, rng: random.Random, counts: dict[str, Any]) -> int:
    """Let a writer go on from where the last one was, kill it, and return how many writes are acknowledged."""
    victim, first = applied + rng.randrange(4), applied
    writer.start(applied, WRITES + 10)
    for n in writer.acknowledged():
        applied = n + 1
        if n >= victim:
            time.sleep(rng.random() * 0.15)
            break
    applied = max([applied, *(n + 1 for n in writer.kill())])
    counts["kills"] += 1
    counts["acknowledged"] += applied - first
    return applied


def power(folder: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Lose power at every moment of a series of writes; with less time than it takes, at random ones of them."""
    table.TIDY, table.KEPT = 4, table.KEPT / 1e4
    rng, until = random.Random(seed), time.monotonic() + seconds
    moments = record(folder / "recorded.cover", WRITES)
    order = rng.sample(range(len(moments)), len(moments))
    counts: dict[str, Any] = {
        "writes": WRITES,
        "moments": len(moments),
        "moments_tried": 0,
        "disks": 0,
        "wrong": [],
    }
    for number in order:
        if time.monotonic() > until:
            break
        for what, disk in moments[number].disks():
            replayed = folder / "replayed.cover"
            try:
                check(disk, replayed, moments[number].acknowledged, go_on=rng.random() < 0.1)
            except Exception as error:
                counts["wrong"].append(f"after {moments[number].acknowledged} writes, {what}: {error!r:.300}")
            shutil.rmtree(replayed, ignore_errors=True)
            counts["disks"] += 1
        counts["moments_tried"] += 1
    return counts
