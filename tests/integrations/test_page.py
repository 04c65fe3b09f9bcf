"""docs/integrations.md tells the truth: its code runs; and a framework that is missing is named with its extra."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from coverset.integrations.tools import ChosenTools

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/integrations.md").read_text(encoding="utf-8")


def test_its_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 6
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    chosen = names["chosen"]
    assert isinstance(chosen, ChosenTools)
    assert chosen.steps == {"read a CSV file": ["read_table"], "send it by e-mail": ["send_mail"]}


def test_its_figures_are_those_measured() -> None:
    results = (ROOT / "benchmarks/results/candidates.dev.50.md").read_text(encoding="utf-8")
    assert results.split("\n\n")[-1].strip() in PAGE


@pytest.mark.parametrize(
    ("extra", "module"),
    [
        ("langchain", "langchain_core"),
        ("langchain-agents", "langchain"),
        ("llamaindex", "llama_index"),
        ("haystack", "haystack"),
        ("openai-agents", "agents"),
        ("pydantic-ai", "pydantic_ai"),
    ],
)
def test_a_framework_that_is_missing_is_named_with_the_extra_that_brings_it(extra: str, module: str) -> None:
    code = f"import sys; sys.modules[{module!r}] = None; import coverset.integrations.{extra.replace('-', '_')}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert f"pip install 'coverset[{extra}]' brings it" in done.stderr
