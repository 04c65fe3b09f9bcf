"""What words weigh in a corpus: (1 + log tf) idf at length 1, as scikit-learn's TfidfVectorizer defines them.

    idf = log((1 + N) / (1 + df)) + 1

Counts are what is kept of a text; weights follow from those of all documents, so two readers of one corpus see the
same, whatever came and went before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from coverset.arrays import Array, Ids
from coverset.vectors import Terms, Words


class Vocabulary:
    """The terms of a corpus, sorted, and the weight of each.

    Parameters
    ----------
    terms
        All terms, ascending.
    idf
        Their weights.
    """

    def __init__(self, terms: Sequence[str], idf: Array) -> None:
        self.terms, self.idf = list(terms), idf
        self._place = {term: n for n, term in enumerate(self.terms)}

    @classmethod
    def of(cls, counts: Sequence[Counter[str]]) -> tuple[Vocabulary, Words]:
        """Return the vocabulary of some documents, and their words by it."""
        terms = sorted({term for count in counts for term in count})
        place = {term: n for n, term in enumerate(terms)}
        starts = np.cumsum([0, *map(len, counts)])
        entries = np.array([place[term] for count in counts for term in count], np.int32)
        times = np.array([n for count in counts for n in count.values()], np.int32)
        return cls.weighed(terms, starts, entries, times)

    @classmethod
    def weighed(cls, terms: Sequence[str], starts: Ids, entries: Terms, times: Terms) -> tuple[Vocabulary, Words]:
        """Return the vocabulary and the words of documents, from the counts of their terms by rows."""
        documents = len(starts) - 1
        often = np.bincount(entries, minlength=len(terms))
        vocabulary = cls(terms, np.log((1.0 + documents) / (1.0 + often)) + 1.0)
        return vocabulary, vocabulary._words(starts, entries, times)

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self.terms)

    def words(self, counts: Sequence[Counter[str]]) -> tuple[Words, list[list[str]]]:
        """Return the words of queries, and of each the terms that no document has: those have no weight."""
        known = [[(self._place[term], n) for term, n in count.items() if term in self._place] for count in counts]
        unknown = [[term for term in count if term not in self._place] for count in counts]
        starts = np.cumsum([0, *map(len, known)])
        entries = np.array([place for row in known for place, _ in row], np.int32)
        times = np.array([n for row in known for _, n in row], np.int32)
        return self._words(starts, entries, times), unknown

    def _words(self, starts: Ids, entries: Terms, times: Terms) -> Words:
        values = (1.0 + np.log(np.maximum(times, 1))) * self.idf[entries]
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        lengths = np.sqrt(np.bincount(rows, values**2, minlength=len(starts) - 1))
        order = np.lexsort((entries, rows))
        weights = (values / lengths[rows])[order].astype(np.float32)
        return Words(starts.astype(np.int64), entries[order].astype(np.int32), weights, len(self.terms))
