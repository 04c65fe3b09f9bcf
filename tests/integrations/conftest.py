"""A store with near-duplicates, which every framework is put in front of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from coverset import NNN, Retriever
from coverset.answer import Hit
from coverset.encoders import Encoder, load_encoder

# The two nearest documents both answer its first half.
QUERY = "how many days of paid holiday are there in a year, and what about trains?"
DOCUMENTS = [
    {"id": "leave", "text": "There are thirty days of paid holiday in a year.", "meta": {"part": "time"}},
    {"id": "holiday", "text": "How much paid holiday there is: thirty days in a year.", "meta": {"part": "time"}},
    {"id": "vacation", "text": "Paid holiday amounts to thirty days a year.", "meta": {"part": "time"}},
    {"id": "train", "text": "The travel office refunds tickets of trains.", "meta": {"part": "travel"}},
    {"id": "keys", "text": "Keys are handed out at the front desk.", "meta": {"part": "house"}},
    {"id": "sick", "text": "Send a doctor's note on the third day of an illness.", "meta": {"part": "health"}},
]
# Comes apart by itself; and what an agent that got it might be after, other documents than its own.
REQUEST = "ask for paid holiday, then refund the tickets of a train"
STEPS = ["hand out the keys", "a note of the doctor"]
UNANSWERED = "quantum chromodynamics of lattice gauge bosons"
JOINT = NNN(l1=0.1, l2=0.1)
# What a store refuses, and how; the last one only where it is told what words are.
WRONG: list[tuple[dict[str, object], str]] = [
    ({"parts": "trains"}, "parts must be 'auto', None or a list of texts"),
    ({"parts": ["trains", "trains"]}, "parts must be different from each other"),
    ({"parts": ["trains", " "]}, "parts must be texts that are not empty"),
    ({"share": 1.5}, "share must be a finite number between 0 and 1, got 1.5"),
    ({"words": None, "share": 0.5}, "share must be None where words is None"),
]
# What a call may be told, each of which changes the answer.
ASKED: list[dict[str, Any]] = [
    {"parts": STEPS}, {"parts": []}, {"share": 0.1}, {"where": {"part": "time"}, "parts": STEPS, "share": 0.9},
]  # fmt: skip
TEXTS = {str(document["id"]): str(document["text"]) for document in DOCUMENTS}


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return load_encoder()


@pytest.fixture(scope="session")
def store(encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("integrations") / "handbook"
    Retriever.open(folder, encoder).add(DOCUMENTS)
    return folder


def told(hit: Hit, *, answered: bool = True) -> dict[str, object]:
    """What the metadata of a document say of a hit, in every framework."""
    return {
        "coverset_score": hit.score,
        "coverset_weight": hit.weight,
        "coverset_part": hit.part,
        "coverset_words": list(hit.words),
        "coverset_alike": list(hit.alike),
        "coverset_answered": answered,
    }


def same(some: Iterable[Mapping[str, object]], others: Iterable[Mapping[str, object]]) -> bool:
    """Whether the same is said; vectors that went through lists of floats differ in their last digits."""
    return all(
        set(one) == set(other) and all(_alike(one[name], other[name]) for name in one)
        for one, other in zip(some, others, strict=True)
    )


def _alike(one: object, other: object) -> bool:
    return abs(one - other) < 1e-5 if isinstance(one, float) and isinstance(other, float) else one == other
