"""Texts become the words that people would expect, and weigh what scikit-learn says."""

from __future__ import annotations

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
    assert [term for term in Analyser("english").terms(text) if " " not in term] == expected


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
