"""The service's documentation tells the truth: its figures, limits, paths, codes and pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx

from coverset.server import settings

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/service.md").read_text(encoding="utf-8")


def test_its_figures_are_the_measured_ones_and_keep_what_was_promised() -> None:
    assert (ROOT / "benchmarks/results/service.md").read_text(encoding="utf-8").strip() in PAGE
    found = json.loads((ROOT / "benchmarks/results/service.json").read_text())
    assert set(found["load"]["answers"]) <= {"200", "429"}
    assert set(found["load"]["writes"]) == {"200"}
    assert found["kills"]["lost"] == 0
    memory = found["load"]["memory_mib"]
    assert memory["at the end"] < 1.05 * memory["after a third"]


def test_it_names_every_operation_and_its_request_is_answered(client: httpx.Client) -> None:
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in PAGE, path
    (body,) = re.findall(r"-d '(\{.*?\n\})'", PAGE, re.DOTALL)
    assert client.post("/v1/search", json=json.loads(body)).status_code == 200


def test_its_limits_are_those_of_the_code() -> None:
    defaults = settings.Settings()
    assert f"| {defaults.body // 2**20} MiB |" in PAGE
    assert f"| {settings.MOST_K} ({settings.MOST_COMPARED} in compare) |" in PAGE
    assert f"| {settings.MOST_QUERIES}; {settings.MOST_DOCUMENTS:,} |" in PAGE
    assert f"| {settings.LONGEST_QUERY:,}; {settings.LONGEST_TEXT:,}; {settings.LONGEST_ID} |" in PAGE
    assert f"| as many as cores; {defaults.waiting} |" in PAGE
    assert f"| {defaults.timeout:.0f} s (tuning: {defaults.tuning_timeout:.0f} s) |" in PAGE
