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
from coverset.sparse import Terms, Words


class Vocabulary:
    """The terms of a corpus, sorted, and the weight of each.

    Parameters
    ----------
    terms
        All terms, ascending.
    idf
        Their weights.
    documents
        How many documents the corpus has.
    """

    def __init__(self, terms: Sequence[str], idf: Array, documents: int) -> None:
        self.terms, self.idf, self.documents = list(terms), idf, documents
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
        vocabulary = cls(terms, np.log((1.0 + documents) / (1.0 + often)) + 1.0, documents)
        return vocabulary, vocabulary._words(starts, entries, times)

    def __contains__(self, term: object) -> bool:
        """Say whether a document has this term."""
        return term in self._place

    def place(self, term: str) -> int:
        """Return the number of a term."""
        return self._place[term]

    def weight(self, counts: Counter[str], *, known: bool) -> float:
        """Return the length of a text's words: of all, or of those that documents have. A new one weighs most."""
        new = float(np.log(1.0 + self.documents) + 1.0)
        kept = {t: n for t, n in counts.items() if not known or t in self._place}
        idf = [self.idf[self._place[t]] if t in self._place else new for t in kept]
        return float(np.sqrt(sum(((1.0 + np.log(n)) * w) ** 2 for n, w in zip(kept.values(), idf, strict=True))))

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
