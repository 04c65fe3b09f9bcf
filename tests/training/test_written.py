"""What a run writes is there whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from coverset.training.notes import empty, write_whole

CUT = """
import resource, sys
from pathlib import Path
from coverset.training.notes import write_report
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # enough for the curves
epochs = [{"loss": 1.0, "comp@5": 1.0, "recall@5": 2.0}] * 10_000
plan = {"method": "dense", "part": "encoder", "dataset": "data"}
write_report({"plan": plan, "best": 0, "epochs": epochs}, Path(sys.argv[1]))
"""


def test_a_record_whose_writing_ends_early_is_not_there(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CUT, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert "File too large" in done.stderr
    assert (tmp_path / "record.json.part").stat().st_size > 0
    assert not (tmp_path / "record.json").exists()


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "training" / "plan.json"
    write_whole(path, "{}")
    write_whole(path, '{"seed": 1}')
    assert path.read_text() == '{"seed": 1}\n'
    assert [file.name for file in path.parent.iterdir()] == ["plan.json"]


def test_a_folder_in_which_nothing_became_whole_is_as_good_as_empty(tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "plan.json.part").write_text('{"se')
    assert empty(tmp_path)
    (tmp_path / "training" / "plan.json").write_text("{}")
    assert not empty(tmp_path)
