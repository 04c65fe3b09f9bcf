"""What words weigh in a corpus: (1 + log tf) idf at length 1, as scikit-learn's TfidfVectorizer defines them.

    idf = log((1 + N) / (1 + df)) + 1

Counts are what is kept of a text; weights follow from those of all documents, so two readers of one corpus see the
same, whatever came and went before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

import numpy as np

from coverset.arrays import Array, Keys
from coverset.sparse import Words


class Vocabulary:
    """The terms of a corpus, and the weight of each.

    Parameters
    ----------
    terms
        All terms, ascending.
    idf
        Their weights.
    documents
        How many documents the corpus has.
    """

    def __init__(self, terms: Keys, idf: Array, documents: int) -> None:
        self.terms, self.idf, self.documents = terms, idf, documents

    @classmethod
    def of(cls, counts: Sequence[Counter[str]]) -> tuple[Vocabulary, Words]:
        """Return the vocabulary of some documents, and their words by it."""
        terms = sorted({term for count in counts for term in count})
        place = {term: n for n, term in enumerate(terms)}
        times = [{place[term]: n for term, n in count.items()} for count in counts]
        return cls.weighed(np.array(terms, object), _counted(times, len(terms)))

    @classmethod
    def weighed(cls, terms: Keys, counts: Words) -> tuple[Vocabulary, Words]:
        """Return the vocabulary and the words of documents, from how often each of them has each term."""
        documents = len(counts)
        often = np.bincount(counts.terms, minlength=len(terms))
        vocabulary = cls(terms, np.log((1.0 + documents) / (1.0 + often)) + 1.0, documents)
        return vocabulary, vocabulary._weighed(counts)

    def __contains__(self, term: str) -> bool:
        """Say whether a document has this term."""
        return self.place(term) is not None

    def place(self, term: str) -> int | None:
        """Return the number of a term; None: no document has it."""
        place = bisect_left(self.terms, term)
        return place if place < len(self) and self.terms[place] == term else None

    def weight(self, counts: Counter[str], *, known: bool) -> float:
        """Return the length of a text's words: of all, or of those that documents have. A new one weighs most."""
        new = float(np.log(1.0 + self.documents) + 1.0)
        places = [(self.place(term), n) for term, n in counts.items()]
        idf = [
            (new if place is None else self.idf[place], n) for place, n in places if place is not None or not known
        ]
        return float(np.sqrt(sum(((1.0 + np.log(n)) * w) ** 2 for w, n in idf)))

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self.terms)

    def words(self, counts: Sequence[Counter[str]]) -> tuple[Words, list[list[str]]]:
        """Return the words of queries, and of each the terms that no document has: those have no weight."""
        places = [{term: self.place(term) for term in count} for count in counts]
        unknown = [[term for term, place in row.items() if place is None] for row in places]
        times = [
            {place: count[term] for term, place in row.items() if place is not None}
            for row, count in zip(places, counts, strict=True)
        ]
        return self._weighed(_counted(times, len(self))), unknown

    def _weighed(self, counts: Words) -> Words:
        values = (1.0 + np.log(counts.values, dtype=np.float64)) * self.idf[counts.terms]
        each = np.diff(counts.starts)
        rows = np.repeat(np.arange(len(counts)), each)
        lengths = np.sqrt(np.bincount(rows, values**2, minlength=len(counts)))
        weights = (values / np.repeat(lengths, each)).astype(np.float32)
        return Words(counts.starts, counts.terms, weights, counts.width)


def _counted(times: Sequence[dict[int, int]], width: int) -> Words:
    """Return how often each row has each term, the terms of each ascending."""
    rows = [sorted(row.items()) for row in times]
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    terms = np.array([term for row in rows for term, _ in row], np.int32)
    return Words(starts, terms, np.array([n for row in rows for _, n in row], np.float32), width)
