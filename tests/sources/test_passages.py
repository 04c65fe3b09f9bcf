"""Passages: pieces of a document word for word, short enough, cut where people would cut, nothing lost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coverset.sources import passages

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
GAPS = [" ", ". ", "! ", "\n", "\n\n", ".\n\n", "\n# ", "。", "   "]


def cut(text: str, size: int, **options: Any) -> list[dict[str, Any]]:
    return list(passages([{"id": "d", "text": text}], size, **options))


@given(gaps=st.lists(st.sampled_from(GAPS), max_size=60), size=st.integers(6, 60), headings=st.booleans())
def test_every_word_is_in_a_passage_and_no_passage_is_too_long(gaps: list[str], size: int, headings: bool) -> None:
    text = "w0" + "".join(f"{gap}w{n}" for n, gap in enumerate(gaps, 1))
    found = [p["text"] for p in cut(text, size, headings=headings)]
    assert all(0 < len(p) <= size and p in text for p in found)
    words = [re.findall(r"w\d+", p) for p in found]
    assert sorted({w for part in words for w in part}, key=text.index) == re.findall(r"w\d+", text)
    starts = [text.index(p) for p in found]
    assert starts == sorted(set(starts))  # every passage begins further on


@given(text=st.text(max_size=200), size=st.integers(1, 20))
def test_any_text_at_all_keeps_its_characters(text: str, size: int) -> None:
    found = [p["text"] for p in cut(text, size)]
    assert set("".join(found)) - set(" ") >= {c for c in text if not c.isspace()}
    assert all(len(p) <= size for p in found)


def test_a_short_text_stays_as_it_is() -> None:
    document = {"id": "d", "text": "short", "meta": {"lang": "py"}}
    assert list(passages([document], 5)) == [document]


def test_a_document_that_brings_its_vector_stays_whole() -> None:
    document = {"id": "d", "text": "long " * 50, "vector": [1.0]}
    assert list(passages([document], 5)) == [document]


def test_a_passage_knows_its_document_and_keeps_its_metadata() -> None:
    found = list(passages([{"id": "d", "text": "One is here. Two is here.", "meta": {"lang": "en"}}], 14))
    assert [p["id"] for p in found] == ["d#1", "d#2"]
    assert [p["meta"] for p in found] == [
        {"lang": "en", "document": "d", "passage": n, "start": start} for n, start in ((1, 0), (2, 13))
    ]


def test_paragraphs_stay_whole_where_they_fit() -> None:
    text = "First one. It has two sentences.\n\nSecond one. It has two, too.\n\nThird."
    assert [p["text"] for p in cut(text, 40)] == [
        "First one. It has two sentences.",
        "Second one. It has two, too.\n\nThird.",
    ]


def test_sentences_stay_whole_where_a_paragraph_is_too_long_and_the_last_is_said_again() -> None:
    text = "Sort the whole array. Do it. Drop what is there twice. Count. Print the number."
    assert [p["text"] for p in cut(text, 62)] == [
        "Sort the whole array. Do it. Drop what is there twice. Count.",
        "Count. Print the number.",
    ]


def test_markdown_is_cut_at_its_headings_and_a_passage_knows_them() -> None:
    text = "\n".join(
        [
            "# Guide",
            "",
            "a " * 40,
            "",
            "## Linux",
            "",
            "b " * 40,
            "",
            "```",
            "# a comment",
            "```",
            "## Other #",
            "",
            "c " * 40,
        ]
    )
    found = cut(text, 120, headings=True)
    assert [p["meta"]["heading"] for p in found] == ["Guide", "Guide > Linux", "Guide > Other"]
    assert [p["text"].split("\n")[0] for p in found] == ["# Guide", "## Linux", "## Other #"]
    assert "# a comment" in found[1]["text"]


def test_a_section_too_short_to_stand_alone_goes_with_the_next() -> None:
    text = "# Title\n\n## First\n\n" + "word " * 15 + "\n\n## Second\n\n" + "word " * 15
    assert [p["text"][:8] for p in cut(text, 110, headings=True)] == ["# Title\n", "## Secon"]


def test_a_real_page_is_cut_into_passages_of_its_sections() -> None:
    found = cut(README, 1000, headings=True)
    assert len(found) > len(README) / 1000
    assert all(README.count(p["text"]) >= 1 and len(p["text"]) <= 1000 for p in found)
    assert {p["meta"]["heading"].split(" > ")[0] for p in found} == {"Coverset"}


@pytest.mark.parametrize("size", [0, -1, 1.5, "9", None])
def test_a_size_that_makes_no_sense_is_refused(size: Any) -> None:
    with pytest.raises(ValueError, match="size must be a whole number >= 1"):
        cut("text", size)
