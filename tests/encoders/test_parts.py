"""Requests come apart into what they ask for, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coverset.encoders.connectives import LANGUAGES
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


@pytest.mark.parametrize(
    ("language", "request_", "parts"),
    [
        (
            "german",
            "Lies die Datei ein. Sortiere alle Zeilen.",
            ["Lies die Datei ein", "Sortiere alle Zeilen"],
        ),
        ("german", "1. Datei lesen\n2. Zeilen sortieren", ["Datei lesen", "Zeilen sortieren"]),
        ("german", "Lade die Datei, dann sortiere sie", ["Lade die Datei", "sortiere sie"]),
        (
            "german",
            "Wie kann ich eine Matrix invertieren und das Ergebnis in eine Datei schreiben?",
            ["Wie kann ich eine Matrix invertieren", "das Ergebnis in eine Datei schreiben?"],
        ),
        (
            "french",
            "charger un fichier, puis supprimer les doublons et envoyer un courriel",
            ["charger un fichier", "supprimer les doublons", "envoyer un courriel"],
        ),
        (
            "spanish",
            "invertir una matriz, comprobar que es finita y guardarla en un archivo",
            ["invertir una matriz", "comprobar que es finita", "guardarla en un archivo"],
        ),
        (
            "italian",
            "ordina la tabella, inoltre manda un messaggio al cliente",
            ["ordina la tabella", "manda un messaggio al cliente"],
        ),
        (
            "portuguese",
            "converter as imagens e enviar uma fatura ao cliente",
            ["converter as imagens", "enviar uma fatura ao cliente"],
        ),
        (
            "dutch",
            "open het bestand en stuur een bericht naar de klant",
            ["open het bestand", "stuur een bericht naar de klant"],
        ),
    ],
)
def test_other_languages_have_connectives_of_their_own(language: str, request_: str, parts: list[str]) -> None:
    assert split(request_, Analyser(language)) == parts


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_joins_two_words_or_two_names_takes_nothing_apart(language: str) -> None:
    joins = LANGUAGES[language].joins.partition("|")[0]
    for request_ in (f"Anna {joins} Lukas", joins, f"zebra {joins} gnu"):
        assert split(request_, Analyser(language)) == []


def test_a_language_without_rules_goes_by_punctuation() -> None:
    swedish = Analyser("swedish")
    assert split("Läs filen först. Sortera alla rader.", swedish) == ["Läs filen först", "Sortera alla rader"]
    assert split("1. läsa filen\n2. sortera raderna", swedish) == ["läsa filen", "sortera raderna"]
    assert split("läsa hela filen och sortera alla rader", swedish) == []


def test_what_numbers_a_part_is_not_part_of_it() -> None:
    asked = "(a) cancel my order; (b) refund the whole sum; (c) write to the customer"
    assert split(asked, Analyser()) == ["cancel my order", "refund the whole sum", "write to the customer"]


@given(st.text(st.sampled_from(list("abc .,;!?\n-1)ABand")), max_size=300))
def test_parts_are_few_different_and_never_empty(text: str) -> None:
    parts = split(text, Analyser("english"))
    assert len(parts) != 1
    assert len(parts) <= MOST
    assert len(set(parts)) == len(parts)
    assert all(part.strip() for part in parts)
