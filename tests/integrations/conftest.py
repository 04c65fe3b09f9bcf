"""A store with near-duplicates, which every framework is put in front of."""

from __future__ import annotations

from pathlib import Path

import pytest

from coverset import Retriever
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
TEXTS = {str(document["id"]): str(document["text"]) for document in DOCUMENTS}


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return load_encoder()


@pytest.fixture(scope="session")
def store(encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("integrations") / "handbook"
    Retriever.open(folder, encoder).add(DOCUMENTS)
    return folder
