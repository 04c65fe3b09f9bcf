"""docs/mcp.md tells the truth: its configurations are read, its figures are measured, its links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

from coverset.integrations.mcp.config import BEHIND, read_config

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")


def test_its_configurations_are_read(tmp_path: Path) -> None:
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    assert len(blocks) == 3
    path = tmp_path / "servers.json"
    path.write_text(json.dumps(blocks[0]), encoding="utf-8")
    servers = {name: behind.start for name, behind in read_config(path).servers.items()}
    assert list(servers) == ["files", "git"]
    assert servers["git"].args == ["mcp-server-git"]
    assert servers["git"].env == {"GIT_AUTHOR_NAME": "Me", BEHIND: "1"}
    assert blocks[1]["mcpServers"]["coverset"]["args"] == blocks[2]["servers"]["coverset"]["args"]


def test_its_figures_are_the_measured_ones() -> None:
    assert (ROOT / "benchmarks/results/tool_text.md").read_text(encoding="utf-8").strip() in PAGE


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)", PAGE)
    assert links
    for target in links:
        assert (ROOT / "docs" / target).exists(), target
