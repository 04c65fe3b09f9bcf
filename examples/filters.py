"""Searches about some of the documents: ranges, dates, lists, what is missing."""

from __future__ import annotations

import tempfile
from datetime import date

from coverset import Retriever

with tempfile.TemporaryDirectory() as folder:
    news = Retriever.open(f"{folder}/news.cover")
    news.add(
        [
            {"id": "cut", "text": "Rates are cut.", "meta": {"day": "2024-05-02", "tags": ["bank", "rates"]}},
            {"id": "up", "text": "Rates are raised.", "meta": {"day": "2024-09-19", "tags": ["bank"]}},
            {"id": "lost", "text": "The match was lost.", "meta": {"day": "2024-09-20", "draft": True}},
        ]
    )
    for where in (
        {"tags": "bank"},
        {"day": {"$gte": date(2024, 9, 1)}},
        {"$or": [{"draft": True}, {"tags": {"$contains": "rat"}}]},
        {"draft": {"$exists": False}},
    ):
        print(where, [hit.id for hit in news.search("interest rates", where=where)])
