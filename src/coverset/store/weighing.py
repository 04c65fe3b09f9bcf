"""The words of a version of a store: what its terms weigh, from the counts that are kept with the documents."""

from __future__ import annotations

import numpy as np

from coverset.encoders.vocabulary import Vocabulary
from coverset.extras import require
from coverset.plain import Foreign
from coverset.sparse import Words


def weighed(table: Foreign) -> tuple[Vocabulary, Words]:
    """Return the vocabulary of a version, and its documents' words by it."""
    pc = require("pyarrow.compute", "store")
    terms, counts = (table[name].combine_chunks() for name in ("terms", "counts"))
    encoded = terms.flatten().dictionary_encode()
    names = encoded.dictionary.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names), np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    lengths = pc.fill_null(pc.list_value_length(terms), 0).to_numpy(zero_copy_only=False)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = place[encoded.indices.to_numpy(zero_copy_only=False)]
    times = counts.flatten().to_numpy(zero_copy_only=False)
    return Vocabulary.weighed([names[n] for n in order], starts, entries, times)
