"""One language of filters: a store reads it as every engine does (`tests/indexes/test_engines.py`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from coverset import Dense, Retriever
from coverset.encoders.precomputed import Precomputed
from coverset.filters import DEEPEST, check_where, keys
from tests.indexes.conftest import FILTERS, LABELS, REFUSED

ROWS: list[dict[str, Any]] = [
    {
        "label": LABELS[i % len(LABELS)],
        "year": 2020 + i % 5,
        "share": (i % 4) / 4,
        "ready": i % 3 == 0,
        "day": f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}",
        "owner": None if i % 4 else f"owner {i % 3}",
    }
    for i in range(300)
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    opened = Retriever.open(
        tmp_path_factory.mktemp("filters") / "s.cover", Precomputed(dim=2, name="none"), words=None
    )
    # What is missing in one document is null in the next.
    metas = [{k: v for k, v in row.items() if v is not None or n % 2} for n, row in enumerate(ROWS)]
    opened.add({"id": f"{n:03d}", "text": "", "vector": [1.0, n], "meta": meta} for n, meta in enumerate(metas))
    return opened


@pytest.mark.parametrize(("where", "says"), FILTERS, ids=[str(where) for where, _ in FILTERS])
def test_a_filter_means_in_a_store_what_it_says(store: Retriever, where: Any, says: Callable[[Any], bool]) -> None:
    expected = [f"{n:03d}" for n, row in enumerate(ROWS) if says(row)]
    assert store.snapshot().where(where).ids == expected
    assert sorted(hit.id for hit in store.search([1.0, 0.0], k=300, where=where, decoder=Dense())) == expected


@pytest.mark.parametrize("where", REFUSED, ids=str)
def test_a_filter_that_means_nothing_is_refused(store: Retriever, where: Any) -> None:
    with pytest.raises(ValueError, match="where"):
        store.search([1.0, 0.0], where=where)


def test_a_list_is_taken_by_its_members_and_an_object_is_there(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover", Precomputed(dim=1, name="none"), words=None)
    metas: list[dict[str, Any]] = [{"n": [1, 5]}, {"n": [9]}, {"n": {"x": 1}}, {"n": []}, {}]
    store.add({"id": str(i), "text": "", "vector": [1.0], "meta": meta} for i, meta in enumerate(metas))

    def ids(condition: Any) -> str:
        return "".join(store.snapshot().where({"n": condition}).ids)

    assert ids(5) == "0"
    assert ids({"$gt": 1, "$lt": 9}) == "0"  # one member must be between both
    assert ids({"$gt": 5}) == "1"
    assert ids({"$ne": 5}) == "1234"
    assert ids({"$exists": True}) == "012"


def test_dates_with_a_time_zone_are_those_of_utc(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "s.cover", Precomputed(dim=1, name="none"), words=None)
    store.add([{"id": "a", "text": "", "vector": [1.0], "meta": {"at": "2024-05-31T10:30:00Z"}}])
    at = datetime(2024, 5, 31, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    assert store.snapshot().where({"at": {"$gte": at}}).ids == ["a"]
    assert store.snapshot().where({"at": {"$gte": at + timedelta(hours=1)}}).ids == []


def test_filters_that_say_the_same_are_one_and_true_is_not_one() -> None:
    assert check_where({"a": 1, "b": [2, 1]}) == check_where({"b": (1, 2.0), "a": {"$eq": 1.0}})
    assert check_where({"a": True}) != check_where({"a": 1})
    condition = check_where({"a": 1, "$or": [{"b": 2}, {"$not": {"a": 3}}]})
    assert condition is not None
    assert sorted(keys(condition)) == ["a", "b"]


def test_filters_are_not_nested_without_end() -> None:
    where: dict[str, Any] = {"a": 1}
    for _ in range(DEEPEST):
        where = {"$not": where}
    with pytest.raises(ValueError, match="nested deeper"):
        check_where(where)
