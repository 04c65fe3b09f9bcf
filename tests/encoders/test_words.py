"""Texts become the words that people would expect, and weigh what scikit-learn says."""

# ruff: noqa: RUF001 - other scripts have letters that look like ours

from __future__ import annotations

import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser

TEXTS = [
    "Sort an array.",
    "Drop duplicates of an array, then sort it",
    "np.linalg.inv",
    "to_csv writes CSV files",
    "",
]


def one_by_one(language: str, text: str) -> list[str]:
    """Return the terms of a text without the pairs of neighbours."""
    return [term for term in Analyser(language).terms(text) if " " not in term]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPResponse2", ["pars", "http", "respons", "2"]),
        ("np.linalg.inv", ["np", "linalg", "inv"]),
        ("drop_duplicates", ["drop", "duplic"]),
        ("state-of-the-art", ["state", "art"]),
        ("the of and a", []),
    ],
)
def test_identifiers_come_apart_and_stop_words_go(text: str, expected: list[str]) -> None:
    assert one_by_one("english", text) == expected


def test_neighbours_are_terms_as_well() -> None:
    assert "moving averag" not in Analyser("english").terms("moving average")
    assert "move averag" in Analyser("english").terms("moving average")


def test_a_language_has_its_own_stems_and_stop_words() -> None:
    assert Analyser("german").terms("die Häuser der Stadt") == ["haus", "stadt", "haus stadt"]
    assert Analyser("none").terms("die Häuser")[:2] == ["die", "häuser"]
    with pytest.raises(ValueError, match=r"words must be one of .*'english'.*got 'klingon'"):
        Analyser("klingon")


def test_scripts_without_spaces_come_as_pairs_of_characters() -> None:
    terms = Analyser("english").terms("東京都の天気")
    assert {"東京", "京都", "天気"} <= set(terms)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("none", "使用pandas读取CSV文件", "使用 pandas 读取 csv 文件"),
        ("english", "用SQL查询", "用 sql 查询"),
        ("english", "Pythonで並べる", "python で並 並べ べる"),
        ("none", "第3章の人々", "第 3 章の の人 人々"),
        ("none", "\U00020000\U00020001pdf", "\U00020000\U00020001 pdf"),
        ("none", "CSV를 pandas로 읽고", "csv pandas 읽고"),
        ("none", "อ่านPDF", "อ่า าน pdf"),
    ],
)
def test_words_of_another_script_are_told_from_what_they_stand_in(language: str, text: str, expected: str) -> None:
    assert one_by_one(language, text) == expected.split()


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("nepali", "नेपाली भाषा", "नेपाली भाषा"),
        ("none", "हिन्दी में फ़ाइल पढ़ो", "हिन्दी में फ़ाइल पढ़ो"),
        ("none", "தமிழ் மொழி", "தமிழ் மொழி"),
        ("none", "বাংলা ভাষা", "বাংলা ভাষা"),
        ("arabic", "مُحَمَّد", "محمد"),
        ("none", "серге́й Иванов", "сергей иванов"),
        ("none", "ක්\u200dරියා", "ක්රියා"),  # a joiner says how letters are drawn
        ("none", "می\u200cخواهم", "می خواهم"),  # and after a letter, where a word ends
        ("none", "1\ufe0f\u20e3 葛\U000e0100飾", "1 葛飾"),
    ],
)
def test_marks_belong_to_their_letters(language: str, text: str, expected: str) -> None:
    assert one_by_one(language, text) == [unicodedata.normalize("NFKC", word) for word in expected.split()]


def test_pairs_of_an_unspaced_script_are_of_letters_with_their_marks() -> None:
    assert one_by_one("none", "สวัสดี") == ["สวั", "วัส", "สดี"]


LETTERS = (
    "aZ9 _'.-\u00e9\u00df\u0130\u0301\u0308\u0915\u093f\u094d\u0e27\u0e31\u6587\u304c\u30ab\u3099\ud55c\u1100"
    "\u1161\uff21\u200d\ufe0f\u20e3"
)


@given(st.text(st.sampled_from(LETTERS), max_size=40) | st.text(max_size=40))
def test_terms_are_the_same_whatever_form_a_text_is_in(text: str) -> None:
    analyser = Analyser("none")
    forms = [analyser.terms(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")]
    assert forms[0] == forms[1] == analyser.terms(text)
    assert not any(unicodedata.category(term[0]).startswith("M") for term in forms[0])


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_plain_english_is_read_the_same_among_other_scripts(text: str) -> None:
    analyser = Analyser("english")
    assert analyser.terms(text + " \u2014") == analyser.terms(text)
    assert list(analyser.surfaces(text + " \u0e27\u0e31"))[:-1] == list(analyser.surfaces(text))


def test_texts_in_another_language_are_noticed() -> None:
    german = ["Die Katze sitzt auf dem Dach und schaut in den Garten hinunter, wo die Kinder spielen."] * 6
    assert Analyser("english").foreign(german)
    assert not Analyser("german").foreign(german)


@given(st.lists(st.text("ab cd.", max_size=20), min_size=1, max_size=8), st.text("ab cde.", max_size=12))
def test_weights_are_scikit_learns(texts: list[str], query: str) -> None:
    analyser = Analyser("none")
    if not any(analyser.terms(text) for text in texts):
        return
    theirs = TfidfVectorizer(analyzer=analyser.terms, sublinear_tf=True).fit(texts)
    vocabulary, words = Vocabulary.of([analyser.counts(text) for text in texts])
    assert vocabulary.terms.tolist() == theirs.get_feature_names_out().tolist()
    ours = np.zeros((len(texts), len(vocabulary)))
    for row in range(len(texts)):
        span = slice(words.starts[row], words.starts[row + 1])
        ours[row, words.terms[span]] = words.values[span]
    np.testing.assert_allclose(ours, theirs.transform(texts).toarray(), atol=1e-6)
    asked, (unknown,) = vocabulary.words([analyser.counts(query)])
    flat = np.zeros(len(vocabulary))
    flat[asked.terms] = asked.values
    np.testing.assert_allclose(flat, theirs.transform([query]).toarray()[0], atol=1e-6)
    assert set(unknown) == set(analyser.terms(query)) - set(vocabulary.terms)


def test_weights_do_not_depend_on_the_order_of_counting() -> None:
    one, two = Counter({"a": 1, "b": 2}), Counter({"b": 2, "a": 1})
    first, second = Vocabulary.of([one, two]), Vocabulary.of([two, one])
    np.testing.assert_array_equal(first[1].values, second[1].values)
