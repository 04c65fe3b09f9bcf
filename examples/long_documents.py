"""Long documents in passages: the best one of each, and the documents put together again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from coverset import Retriever
from coverset.sources import read_sources

project = Path(__file__).parents[1]
with tempfile.TemporaryDirectory() as folder:
    store = Retriever.open(f"{folder}/docs.cover")
    found = read_sources([project / "docs" / "store.md", project / "docs" / "filters.md"])
    store.add(source.document for source in found.sources)
    hits = store.search("how do I keep a backup, and how do I filter by date?", k=2, per="document")
    for hit, document in zip(hits, store.whole(hits), strict=True):
        print(hit.id, "·", hit.meta["heading"], f"· of {len(document.text):,} characters")
