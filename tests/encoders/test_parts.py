"""Requests come apart into what they ask for, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coverset.encoders.parts import MOST, split
from coverset.encoders.words import Analyser


@pytest.mark.parametrize(
    ("request_", "parts"),
    [
        ("sort an array, then drop duplicates", ["sort an array", "drop duplicates"]),
        (
            "read a csv file, drop duplicate rows and email it",
            ["read a csv file", "drop duplicate rows", "email it"],
        ),
        ("1. open the file\n2. count the words", ["open the file", "count the words"]),
        ("- resize the image\n- blur the edges", ["resize the image", "blur the edges"]),
        ("Find the cheapest flight. Book a hotel room!", ["Find the cheapest flight", "Book a hotel room!"]),
        ("smooth the signal before taking the spectrum", ["smooth the signal", "taking the spectrum"]),
    ],
)
def test_a_compound_request_comes_apart(request_: str, parts: list[str]) -> None:
    assert split(request_, Analyser("english")) == parts


@pytest.mark.parametrize(
    "request_",
    [
        "sort an array",
        "the weather in Paris, France on May 3, 2024",
        "who are Tom and Mary",
        "fast, small and cheap",
        "call Dr. Smith",
        "and",
        "   ",
        "",
    ],
)
def test_a_simple_request_stays_whole(request_: str) -> None:
    assert split(request_, Analyser("english")) == []


def test_a_language_without_rules_goes_by_punctuation() -> None:
    german = Analyser("german")
    assert split("Lies die Datei ein. Sortiere alle Zeilen.", german) == [
        "Lies die Datei ein",
        "Sortiere alle Zeilen",
    ]
    assert split("1. Datei lesen\n2. Zeilen sortieren", german) == ["Datei lesen", "Zeilen sortieren"]


@given(st.text(st.sampled_from(list("abc .,;!?\n-1)ABand")), max_size=300))
def test_parts_are_few_different_and_never_empty(text: str) -> None:
    parts = split(text, Analyser("english"))
    assert len(parts) != 1
    assert len(parts) <= MOST
    assert len(set(parts)) == len(parts)
    assert all(part.strip() for part in parts)
