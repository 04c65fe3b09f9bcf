"""What the manual's pages link to outside docs/: tables and pictures of figures come along, code is named only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
RESULT = re.compile(r"\]\((?:\.\./)+benchmarks/results/([^)#]+)\)")
CODE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:src|benchmarks|examples)/[^)]+\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the results that pages link to."""
    found = {name for page in (ROOT / "docs").rglob("*.md") for name in RESULT.findall(page.read_text("utf-8"))}
    # Tables of results show pictures that lie beside them.
    found |= {picture.name for picture in (ROOT / "benchmarks/results").glob("*.png")}
    for name in sorted(filter(_there, found)):
        files.append(
            File.generated(config, f"results/{name}", abs_src_path=str(ROOT / "benchmarks/results" / name))
        )
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to results to where they are, and leave of links to code what they say."""
    up = "../" * page.file.src_uri.count("/")
    return CODE.sub(r"\1", RESULT.sub(lambda m: f"]({up}results/{m[1]})" if _there(m[1]) else m[0], markdown))


def _there(name: str) -> bool:
    return (ROOT / "benchmarks/results" / name).exists()
