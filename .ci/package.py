"""Build the wheel and the source archive, install each where nothing else is, and ask it for an answer.

python .ci/package.py DIST
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
ANSWER = """
import numpy as np, coverset
selection = coverset.NNN(l1=0.1, l2=0.1).decode([1.0, 1.0, 0.0], np.eye(3), k=2)
assert selection.certified and sorted(selection.ids.tolist()) == [0, 1], selection
assert "site-packages" in coverset.__file__, coverset.__file__
print(coverset.__version__)
"""


def environment(folder: Path, *packages: str) -> Path:
    """Make a virtual environment with these packages, at the versions of constraints.txt; return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet", "-c", ROOT / "constraints.txt")
    subprocess.run([python, *install, *packages], check=True)
    return python


def main(dist: Path) -> None:
    """Build into a folder, which is empty or missing, and try what comes out."""
    with tempfile.TemporaryDirectory() as scratch:
        build = environment(Path(scratch) / "build", "hatchling")
        subprocess.run([build, "-m", "hatchling", "build", "-d", dist], check=True, cwd=ROOT)
        built = sorted(dist.iterdir())
        assert [path.name.endswith(".tar.gz") for path in built].count(True) == len(built) - 1 == 1, built
        for number, path in enumerate(built):
            python = environment(Path(scratch) / str(number), str(path))
            done = subprocess.run([python, "-c", ANSWER], check=True, cwd=scratch, capture_output=True, text=True)
            print(f"{path.name}: {done.stdout.strip()} answers")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
