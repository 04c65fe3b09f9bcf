"""Power loss: whatever part of the unflushed reached the disk, no acknowledged write is lost or half there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from coverset.store import table
from tests.store.power import check, record

WRITES = 6


def test_every_moment_of_a_series_of_writes_survives_power_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "TIDY", 4)
    monkeypatch.setattr(table, "KEPT", table.KEPT / 1e4)
    moments = record(tmp_path / "s.cover", WRITES)
    assert len(moments) > 8 * WRITES, "the recorder has not seen the flushes"
    tried = 0
    for moment in moments:
        for what, disk in moment.disks():
            folder = tmp_path / "replayed.cover"
            try:
                check(disk, folder, moment.acknowledged, go_on=tried % 7 == 0)
            except Exception as error:
                raise AssertionError(f"power lost after {moment.acknowledged} writes, {what}: {error}") from error
            shutil.rmtree(folder)
            tried += 1
    assert tried > 3 * len(moments)
