"""The manual tells the truth: it builds without a network or a warning, its blocks run, and so do the examples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# Pages whose blocks are run here, from nothing, one after the other; the other pages have tests of their own.
PAGES = [
    "index.md",
    "words.md",
    "choosing.md",
    "filters.md",
    "tutorials/tools.md",
    "tutorials/sources.md",
    "tutorials/mmr.md",
]
ELSEWHERE = {"store.md", "engines.md", "integrations.md", "service.md", "mcp.md", "training.md", "default.md"}
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "PROJECT": str(ROOT),
    "NO_MKDOCS_2_WARNING": "1",
}


def run(*command: str, folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_its_blocks_run_in_their_order(page: str, tmp_path: Path) -> None:
    found = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    assert found
    before = ""
    for language, block in found:
        if language == "bash":
            run("bash", "-euc", block, folder=tmp_path)
        else:
            before += block
            if block == [b for name, b in found if name == "python"][-1]:
                run(sys.executable, "-c", before, folder=tmp_path)


def test_every_page_with_blocks_is_run_somewhere() -> None:
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        if BLOCK.search(page.read_text(encoding="utf-8")):
            assert name in PAGES or name in ELSEWHERE, name


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_the_examples_run(example: Path, tmp_path: Path) -> None:
    run(sys.executable, str(example), folder=tmp_path)


def test_it_builds_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    run(sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path), folder=ROOT)
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]*?src=\"?(https?://[^\"\s>]+)", text)
        loaded += [link for link in re.findall(r"<link[^>]*>", text) if "http" in link and "canonical" not in link]
        assert not loaded, (page, loaded)


def test_its_figures_are_the_measured_ones() -> None:
    page = (DOCS / "figures.md").read_text(encoding="utf-8")
    assert (ROOT / "benchmarks/results/speed.md").read_text(encoding="utf-8").strip() in page
