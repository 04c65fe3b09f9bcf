"""How often each document of a version has each term, from which follows what its words weigh.

Counting goes on from an earlier version: of a document that has not changed, and most have not, terms only get
other numbers. What comes of it depends on the documents alone, whatever was counted before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coverset.arrays import Ids, Keys, Mask
from coverset.extras import require
from coverset.plain import Foreign
from coverset.sparse import Terms, Words


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each row has each of some terms; these are ascending, and none is without a row.

    Terms are kept once, rows have their numbers: the strings of every row would take several times the room.
    """

    terms: Keys
    times: Words

    @classmethod
    def none(cls, rows: int) -> Counts:
        """Return the counts of rows without words."""
        return cls(np.empty(0, object), Words.empty(rows))

    @classmethod
    def read(cls, parts: Sequence[Foreign]) -> Counts:
        """Return the counts that some rows of a table hold."""
        if not parts:
            return cls.none(0)
        pa, pc = require("pyarrow", "store"), require("pyarrow.compute", "store")
        table = pa.concat_tables(parts)
        lengths = pc.fill_null(pc.list_value_length(table["terms"]), 0).to_numpy()
        encoded = pc.list_flatten(table["terms"]).dictionary_encode().combine_chunks()
        order = pc.sort_indices(encoded.dictionary).to_numpy()  # by UTF-8, which is Python's order
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        times = Words(
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
            place[encoded.indices.to_numpy()],
            pc.list_flatten(table["counts"]).to_numpy().astype(np.float32),
            len(order),
        )
        return cls(encoded.dictionary.to_numpy(zero_copy_only=False)[order], times)

    def then(self, more: Counts, source: Ids) -> Counts:
        """Return the rows that `source` lists, out of these and, counted on, those of `more`."""
        terms, ours, theirs = _merged(self.terms, more.terms)
        first, second = self.times, more.times
        both = Words(
            np.concatenate([first.starts, first.starts[-1] + second.starts[1:]]),
            np.concatenate([ours[first.terms], theirs[second.terms]]),
            np.concatenate([first.values, second.values]),
            len(terms),
        ).take(source)
        used = np.bincount(both.terms, minlength=len(terms)) > 0
        if used.all():
            return Counts(terms, both)
        place = (np.cumsum(used) - 1).astype(np.int32)
        return Counts(terms[used], Words(both.starts, place[both.terms], both.values, int(used.sum())))

    def columns(self) -> dict[str, Foreign]:
        """Return the terms of every row and their counts, as a table has them."""
        pa = require("pyarrow", "store")
        starts = pa.array(self.times.starts, pa.int32())
        terms = pa.array(self.terms, pa.string()).take(pa.array(self.times.terms))
        times = pa.array(self.times.values.astype(np.int32))
        return {
            name: pa.ListArray.from_arrays(starts, values)
            for name, values in (("terms", terms), ("counts", times))
        }


def _merged(known: Keys, new: Keys) -> tuple[Keys, Terms, Terms]:
    """Return two ascending lists of terms as one, and for each of the two the places in it."""
    at = np.searchsorted(known, new)
    fresh: Mask = np.concatenate([known, [None]])[at] != new
    passed = np.cumsum(np.bincount(at[fresh], minlength=len(known)))[: len(known)]
    ours, theirs = np.arange(len(known)) + passed, at + np.cumsum(fresh) - fresh
    return np.insert(known, at[fresh], new[fresh]), ours.astype(np.int32), theirs.astype(np.int32)
