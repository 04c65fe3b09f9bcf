"""Whoever is asked, a store, an agent's tool or a list of tools: the same steps are served, by the same rule."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from coverset import Retriever
from coverset.demo.catalogue import catalogue
from coverset.integrations import tools as module
from coverset.integrations.mcp.library import Library
from coverset.integrations.tools import ChosenTools, choose_tools

TOOLS = {
    "weather_now": "Return the weather at a place right now.",
    "read_table": "Read the rows of a CSV file.",
    "send_mail": "Send a letter by e-mail.",
    "book_room": "Book a meeting room for a day.",
}
REQUEST, PLAN = "tell Ada what we spent", ["read a CSV file", "send it by e-mail", "water the plants"]
SERVED = {PLAN[0]: ["read_table"], PLAN[1]: ["send_mail"], PLAN[2]: []}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "default_folder", lambda: tmp_path / "cache")


def test_a_store_an_agent_and_choose_tools_call_the_same_steps_unserved(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "tools.cover")
    store.add([{"id": name, "text": text} for name, text in TOOLS.items()])
    answer = store.answer(REQUEST, k=3, parts=PLAN)
    assert {part.text: list(part.served_by) for part in answer.parts} == SERVED
    found = asyncio.run(Library(store).search(REQUEST, steps=PLAN, k=3))
    assert (found.answered, found.steps, found.unserved) == (True, SERVED, [PLAN[2]])
    tools = [{"name": name, "description": text} for name, text in TOOLS.items()]
    chosen: ChosenTools[dict[str, str]] = choose_tools(REQUEST, tools, k=3, steps=PLAN)
    assert (chosen.steps, chosen.unserved) == (SERVED, [PLAN[2]])


def test_where_nothing_passes_the_filter_an_agent_hears_that_every_step_is_unserved(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "tools.cover")
    store.add([{"id": name, "text": text} for name, text in TOOLS.items()])
    found = asyncio.run(Library(store).search(REQUEST, steps=PLAN, where={"n": 9}))
    assert (found.answered, found.documents, found.unserved) == (False, [], PLAN)
    assert found.steps == {step: [] for step in PLAN}


def test_an_agent_hears_that_nothing_answers_any_of_its_steps(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "numpy.cover")
    store.add([{"id": name, "text": text} for name, text in catalogue().items()])
    steps = ["order a pizza", "walk the dog"]
    found = asyncio.run(Library(store).search("plan my evening", steps=steps, k=2))
    assert (found.answered, found.unserved, len(found.documents)) == (False, steps, 1)
