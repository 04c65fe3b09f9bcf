"""Documents made ready to be written: checked, encoded where their text is new, their words counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np

from coverset.arrays import Floats
from coverset.encoders import Encoder
from coverset.encoders.encoder import as_encoded
from coverset.encoders.words import Analyser
from coverset.plain import Foreign
from coverset.store.documents import Incoming
from coverset.store.rows import document_rows
from coverset.store.snapshot import Snapshot


def prepared(incoming: Sequence[Incoming], now: Snapshot, encoder: Callable[[], Encoder]) -> Foreign:
    """Return the rows of documents; those whose text is in the store unchanged keep its vector."""
    counts = None if now.analyser is None else [now.analyser.counts(document.text) for document in incoming]
    return document_rows(incoming, _vectors(incoming, now, encoder), counts)


def with_words(now: Snapshot, analyser: Analyser) -> Foreign | None:
    """Return the rows of a store without words with theirs counted; None: it has no documents."""
    kept = [now.document(row) for row in range(len(now))]
    if not kept:
        return None
    incoming = [Incoming(d.id, d.text, json.dumps(d.meta, ensure_ascii=False), None) for d in kept]
    return document_rows(incoming, now.contents.vectors, [analyser.counts(document.text) for document in kept])


def _vectors(incoming: Sequence[Incoming], now: Snapshot, encoder: Callable[[], Encoder]) -> Floats:
    """Return the documents' vectors: their own, those of the same text in the store, or new ones."""
    out = np.empty((len(incoming), now.contents.vectors.shape[1]), np.float32)
    new = []
    for row, document in enumerate(incoming):
        if document.vector is not None:
            out[row] = document.vector
        elif now.text(document.id) == document.text:
            out[row] = now.vector(document.id)
        else:
            new.append(row)
    if new:
        encoded = encoder().encode([incoming[row].text for row in new])
        out[new] = as_encoded(encoder(), encoded, len(new))
    return out
