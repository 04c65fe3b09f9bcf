"""What answers a request, and what serves a part of it, goes by one rule, checked against vectors made by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coverset import NNN, Dense, Retriever
from coverset.decoders import Decoder
from coverset.encoders.function import FunctionEncoder

# Three documents at right angles; the fourth direction is nobody's.
DOCUMENTS = {"csv": "read csv table", "chart": "draw bar chart", "mail": "send mail"}


def at(**towards: float) -> list[float]:
    """Return the unit vector with these cosines, the rest of it in nobody's direction."""
    made = [towards.get(name, 0.0) for name in DOCUMENTS]
    return [*made, float(np.sqrt(1.0 - np.square(made).sum()))]


MEANINGS = {
    **{text: at(**{name: 1.0}) for name, text in DOCUMENTS.items()},
    "prepare everything": at(csv=0.5, chart=0.5),
    "nonsense": at(mail=0.2),
    "load records": at(csv=0.9),
    "walk dog": at(mail=0.24),
    "post letters": at(mail=0.26),
    "the": at(mail=0.24),
    "to be or not to be": at(mail=0.26),
    "???": at(mail=1.0),
    "send mail soon": at(),
    "mail": at(csv=-0.5),
    "dog, walking in parks with mail": at(),
}


@pytest.fixture
def store(tmp_path: Path) -> Retriever:
    def encode(texts: list[str]) -> list[list[float]]:
        return [MEANINGS[text] for text in texts]

    made = Retriever.open(tmp_path / "s.cover", encoder=FunctionEncoder(encode, name="by hand", dim=4))
    made.add([{"id": name, "text": text} for name, text in DOCUMENTS.items()])
    return made


def served(store: Retriever, part: str, k: int = 5, decoder: Decoder | None = None) -> tuple[str, ...]:
    answer = store.answer("prepare everything", k, parts=["load records", part], decoder=decoder)
    assert answer.parts[0].served_by == ("csv",)
    assert {hit.part for hit in answer.hits} <= {None, *(p.text for p in answer.parts if p.served_by)}
    return answer.parts[1].served_by


@pytest.mark.parametrize("decoder", [NNN(), Dense()])
def test_a_part_is_served_from_a_cosine_of_a_quarter_on_or_by_its_words(
    store: Retriever, decoder: Decoder
) -> None:
    assert served(store, "walk dog", decoder=decoder) == ()
    assert served(store, "post letters", decoder=decoder) == ("mail",)
    # At right angles in meaning, two of three words: 0.6 of the cosine of words is well above 0.24 / root 3.
    assert served(store, "send mail soon", decoder=decoder) == ("mail",)


def test_words_that_no_document_has_count_against_a_part(store: Retriever) -> None:
    (whole,) = store.read(["dog, walking in parks with mail"], parts=None)
    (said,) = whole.said
    assert said is not None
    assert (list(said.words), said.unknown) == (["mail"], ["dog", "walking", "parks"])
    # Of four words and three pairs, all of weight ln(4) + 1 but mail's ln(4 / 2) + 1, mail is this share:
    new, mail = np.log(4) + 1, np.log(2) + 1
    known = mail / np.sqrt(mail**2 + 6 * new**2)
    assert said.known == pytest.approx(known)
    # In its document, of send, mail and the pair, mail has this cosine; together less than 0.24 / root 4.
    assert 0.6 * known * mail / np.sqrt(3 * mail**2) < 0.24 / 2
    assert served(store, "dog, walking in parks with mail") == ()


@pytest.mark.parametrize("decoder", [NNN(), Dense()])
def test_nothing_leads_for_a_part_that_nothing_answers(store: Retriever, decoder: Decoder) -> None:
    for k in (1, 2):
        answer = store.answer("prepare everything", k, parts=["walk dog", "load records"], decoder=decoder)
        without = store.answer("prepare everything", k, parts=["load records"], decoder=decoder)
        assert [(hit.id, hit.part) for hit in answer.hits] == [(hit.id, hit.part) for hit in without.hits]
        assert [part.served_by for part in answer.parts] == [(), ("csv",)]


def test_a_part_whose_document_has_no_room_does_not_change_what_is_chosen(store: Retriever) -> None:
    parts = ["load records", "post letters", "draw bar chart"]
    answer = store.answer("prepare everything", 1, parts=parts)
    assert sum(bool(part.served_by) for part in answer.parts) == 1
    assert all(part.served_by for part in store.answer("prepare everything", 3, parts=parts).parts)


def test_a_request_with_parts_is_answered_if_anything_of_it_is(store: Retriever) -> None:
    one = store.answer("nonsense", parts=["load records", "walk dog"])
    assert one.answered
    assert len(one.hits) == 3
    none = store.answer("nonsense", parts=["walk dog"])
    assert not none.answered
    assert [hit.id for hit in none.hits] == ["mail"]
    assert none.hits[0].part is None
    assert none.parts[0].served_by == ()
    assert store.answer("prepare everything", parts=["walk dog"]).answered


@pytest.mark.parametrize(
    ("request_", "answered"), [("???", False), ("the", False), ("to be or not to be", True), ("mail", True)]
)
def test_a_request_without_words_goes_by_meaning_and_one_without_letters_by_nothing(
    store: Retriever, request_: str, answered: bool
) -> None:
    answer = store.answer(request_)
    assert answer.answered is answered
    assert len(answer.hits) == (3 if answered else 1)


def test_by_meaning_alone_only_a_request_without_letters_is_told(tmp_path: Path) -> None:
    encoder = FunctionEncoder(lambda texts: [MEANINGS[text] for text in texts], name="by hand", dim=4)
    store = Retriever.open(tmp_path / "s.cover", encoder=encoder, words=None)
    store.add([{"id": name, "text": text} for name, text in DOCUMENTS.items()])
    assert not store.answer("???").answered
    assert len(store.search("???")) == 1
    assert store.answer("nonsense").answered
    # At right angles to every document, or turned away from them, nothing can be said for it.
    assert not store.answer("send mail soon").answered


TOOLS = {
    "read_table": "Read the rows of a CSV file.",
    "send_mail": "Send a letter by e-mail.",
    "book_room": "Book a meeting room for a day.",
}


def test_parts_that_are_told_from_the_text_are_served_by_the_same_rule(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "tools.cover")
    store.add([{"id": name, "text": text} for name, text in TOOLS.items()])
    answer = store.answer("read the rows of a CSV file, then walk the dog")
    assert [(part.text, part.served_by) for part in answer.parts] == [
        ("read the rows of a CSV file", ("read_table",)),
        ("walk the dog", ()),
    ]
