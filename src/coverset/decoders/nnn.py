"""NNN decoding: the documents whose non-negative combination, sparse and small, rebuilds the query."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike

from coverset.arrays import Array, Floats, Keys
from coverset.decoders.cut import Cut
from coverset.decoders.decoder import Decoder
from coverset.decoders.kinds import Distinct, Kinds, as_distinct
from coverset.decoders.nearest import Nearest
from coverset.decoders.parameter import Parameter
from coverset.decoders.requests import Requests
from coverset.decoders.rounds import Rounds
from coverset.decoders.solving import SMALL_KEPT, Solving
from coverset.decoders.strength import depth, strengths, suited
from coverset.indexes import Corpus, Index, as_index, at_hand, fetch, kind, suiting, within
from coverset.indexes.ids import different
from coverset.inputs import as_choice, as_count, as_flag, as_number, as_targets
from coverset.selection import Selection
from coverset.vectors import Vectors

# Without strengths, over a corpus that is not small, the nearest documents that are decoded: at least, for each
# version that documents have, and at most. How many versions are taken for granted where that cannot be told.
CANDIDATES, EACH, MOST, VERSIONS = 256, 64, 1024, 8
# The strengths that tuning tries. The paper's grid stops at l2 = 1; this one goes on towards the dense limit, so
# that the best of it need not lose to Dense.
L1 = (0.01, 0.03, 0.06, 0.1, 0.3, 0.6, 1.0)
L2 = (*L1, 3.0, 10.0, 30.0, 100.0)


@dataclass(frozen=True)
class NNN(Decoder):
    """Retrieve the set that explains the query: the Non-Negative elastic Net decoder (arXiv:2606.17910).

        w* = argmin_{w >= 0}  1/2 ||U w - v||^2 + l1 sum(w) + l2/2 ||w||^2

    The documents with w > 0 are the answer, ranked by w. A document that the others already explain gets
    no weight, so what was missing comes in. Near-duplicates share their weight: see `distinct`.

    Parameters
    ----------
    l1
        How much a document must still explain to be let in; larger means fewer documents. 0 is the
        paper's L2 variant. None: chosen for each query, see `decoders/strength.py`.
    l2
        How evenly alike documents share their weight. 0 is the paper's L1 variant; as it grows, the
        ranking goes over into that of Dense. None: chosen for each query.
    solver
        "exact" solves to the certified optimum by column generation; "fista" makes the paper's fixed
        number of iterations over the whole corpus.
    iterations
        Iterations of "fista".
    candidates
        Decode among this many documents nearest to the query, after a single search and without a
        certificate; None: over the whole corpus, or, where a strength is left to be chosen and there are
        more than 2,048 documents, among the nearest 256, or up to 1,024 where versions abound. With parts it is
        half as many for each target.
    fill
        When fewer than k documents have weight, go on with those that the residual r* = v - U w* likes
        best, at weight 0. False: return only documents with weight.
    center
        Take the mean document away from documents and query first, and with it the direction that all
        embeddings share.
    certify
        Answers are certified, whatever it takes: without strengths, a large corpus is decoded whole, and an
        approximate index is searched exhaustively at the end. Where that cannot be done it is an error.
    distinct
        The cosine above which two documents count as one kind, of which one is returned, naming the others; False:
        all are returned. "auto": off where both strengths are given, the paper's optimum to the letter, else on.
    """

    l1: float | None = field(
        default=None,
        metadata=Parameter("how much a document must still explain to be let in.", low=0.0, tried=L1).offered,
    )
    l2: float | None = field(
        default=None,
        metadata=Parameter(
            "how evenly documents that are alike share their weight.", low=0.0, tried=L2[::-1]
        ).offered,
    )
    solver: str = "exact"
    iterations: int = 50
    candidates: int | None = None
    fill: bool = field(
        default=True,
        metadata=Parameter(
            "go on to k documents where fewer have weight; without, k is a most.", kind=bool
        ).offered,
    )
    center: bool = False
    certify: bool = False
    distinct: Distinct = "auto"

    variants: ClassVar = {"l1": {"l2": 0.0}, "l2": {"l1": 0.0}}
    timed: ClassVar = {
        "NNN()": {},
        "NNN, exact": {"l1": 0.1, "l2": 0.1},
        "NNN, FISTA-50": {"l1": 0.1, "l2": 0.1, "solver": "fista"},
    }

    def __post_init__(self) -> None:
        """Check the parameters."""
        set_ = object.__setattr__
        for name in ("l1", "l2"):
            if getattr(self, name) is not None:
                set_(self, name, as_number(name, getattr(self, name), 0.0))
        if self.l1 == self.l2 == 0.0:
            raise ValueError("l1 and l2 must not both be 0: the answer would not be unique")
        set_(self, "solver", as_choice("solver", self.solver, ("exact", "fista")))
        set_(self, "iterations", as_count("iterations", self.iterations))
        set_(self, "candidates", as_count("candidates", self.candidates, optional=True))
        set_(self, "fill", as_flag("fill", self.fill))
        set_(self, "center", as_flag("center", self.center))
        set_(self, "certify", as_flag("certify", self.certify))
        set_(self, "distinct", as_distinct(self.distinct))
        if self.certify and self.candidates is not None:
            raise ValueError(
                "certify=True must go without candidates: an answer among some documents has no certificate"
            )

    @classmethod
    def suited(cls, queries: ArrayLike | Vectors, corpus: Corpus) -> NNN:
        """Return NNN with the l2 that suits a kind of query: a few dozen of them, without labels, are enough.

        What a single query does not show, whether the documents of this corpus that are needed together are found
        in crowds or apart, some queries together do. So this brings more than `NNN()`, which chooses per query.

        Parameters
        ----------
        queries
            Query embeddings (B, d), of a log say, or Vectors.
        corpus
            Document embeddings (N, d), Vectors, or a MemoryIndex. A sample of a large corpus will do.
        """
        index = at_hand(as_index(corpus))
        if index is None:
            raise ValueError("corpus must be in memory: hand in an array, of a sample say, or a MemoryIndex")
        batch = as_targets("queries", queries, index.corpus)
        if len(batch) == 0:
            raise ValueError("queries must have at least one row, got none")
        l2, _ = suited(batch, index)
        return cls(l2=l2)

    @overload
    def rewrite(self, queries: Vectors, corpus: Corpus) -> Vectors: ...

    @overload
    def rewrite(self, queries: ArrayLike, corpus: Corpus) -> Floats: ...

    def rewrite(self, queries: ArrayLike | Vectors, corpus: Corpus) -> Floats | Vectors:
        """Return r* = v - U w*, the corrected query, in the type and shape of `queries`.

        For l2 > 0, NNN ranks documents by u.r*. So any vector database that is handed r* as the query
        returns the NNN ranking from its ordinary search, filters and paging included. Its words may be negative:
        those are already covered.
        """
        index = as_index(corpus)
        prepared, targets = index is corpus, as_targets("queries", queries, kind(index))
        index, targets = self._centered(index, targets)
        l1, l2, near = self._strengths(targets, index)
        solving, found = self._solving(index, None, prepared=prepared), dict[int, tuple[Keys, Array]]()
        for which, solution in solving.batches(targets, index, l1, l2, 1, near):
            for q, weights in zip(which.tolist(), solution.weights, strict=True):
                found[q] = solution.ids[weights > 0], weights[weights > 0]
        rewritten = _less(targets, index, [found[q] for q in range(len(targets))])
        if isinstance(queries, Vectors):
            return rewritten
        return rewritten.meaning[0] if np.ndim(queries) == 1 else rewritten.meaning

    def as_run(self, selection: Selection, index: Index) -> NNN:
        """Return the decoder with the strengths that were chosen, and what goes with their being chosen."""
        l1, l2 = selection.strengths or (self.l1, self.l2)
        kinds = Kinds.of(self.distinct, index, auto=self._chooses)
        distinct = self.distinct if kinds is None else kinds.cosine
        candidates = self._solving(index, kinds, prepared=True).candidates
        return replace(self, l1=l1, l2=l2, candidates=candidates, distinct=distinct)

    def _decode(self, requests: Requests, index: Index, k: int | None, *, prepared: bool) -> list[Selection]:
        count, kinds = as_count("k", k, optional=True), Kinds.of(self.distinct, index, auto=self._chooses)
        documents = index
        index, wholes = self._centered(index, requests.wholes)
        solving = self._solving(index, kinds, prepared=prepared)
        cut = Cut(count, fill=self.fill and count is not None, whole=solving.whole(index))
        rounds = Rounds(index, solving, cut, kinds)
        if requests.parts is not None or (kinds is not None and kinds.common):
            parts = requests.parts and [self._centered(documents, some)[1] for some in requests.parts]
            requests = replace(requests, wholes=wholes, parts=parts)
            return self._told([self._one(requests.one(q), rounds) for q in range(len(requests))], solving)
        l1, l2, near = self._strengths(wholes, index, kinds)
        chosen: dict[int, Selection] = {}
        for which, solution in solving.batches(wholes, index, l1, l2, within(index, count or 1), near):
            chosen.update(zip(which.tolist(), cut.select(solution), strict=True))
        selections = [chosen[q] for q in range(len(requests))]
        for q in [] if kinds is None else kinds.repeated(documents, [s.ids for s in selections]):
            asked = Requests(wholes.one(q))
            selections[q] = rounds.decode(asked, rounds.surroundings(asked), float(l1[q]), float(l2[q]))
        return self._told(selections, solving)

    def _one(self, asked: Requests, rounds: Rounds) -> Selection:
        """Decode one request with its parts; strengths and documents come of the same search."""
        near, l1, l2 = rounds.surroundings(asked), self.l1, self.l2
        if l1 is None or l2 is None:
            deep = max(rounds.depth(near) or 0, within(rounds.index, depth(near.targets, rounds.kinds)))
            suiting_l1, suiting_l2 = strengths(near.whole(deep), rounds.kinds)
            l1, l2 = (float(suiting_l1[0]) if l1 is None else l1), (float(suiting_l2[0]) if l2 is None else l2)
        return rounds.decode(asked, near, l1, l2)

    def _told(self, selections: list[Selection], solving: Solving) -> list[Selection]:
        """Return selections with all their passes: choosing the strengths may have taken a search of its own."""
        if self._chooses and solving.candidates is None:
            return [replace(selection, passes=selection.passes + 1) for selection in selections]
        return selections

    def _solving(self, index: Index, kinds: Kinds | None, *, prepared: bool) -> Solving:
        limited = self._chooses and self.candidates is None and not self.certify and len(index) > SMALL_KEPT
        candidates = self.candidates
        if limited:
            candidates = CANDIDATES
            if kinds is not None and kinds.common:
                here = at_hand(index)
                versions = VERSIONS if here is None or here.copies == 1 else here.copies
                candidates = min(max(CANDIDATES, EACH * versions), MOST)
        return Solving(self.solver, self.iterations, candidates, self.certify, prepared)

    @property
    def _chooses(self) -> bool:
        """Whether a strength is left to be chosen."""
        return self.l1 is None or self.l2 is None

    def _strengths(
        self, targets: Vectors, index: Index, kinds: Kinds | None = None
    ) -> tuple[Array, Array, Nearest | None]:
        """Return (l1, l2) for each query: those given, and where there are none, those that suit it.

        Also what a search for them brought back, which is deep enough to decode among.
        """
        l1, l2, near = np.empty(len(targets)), np.empty(len(targets)), None
        if self._chooses:
            among = self._solving(index, kinds, prepared=True).candidates or 0
            near = Nearest(index, targets, within(index, max(among, depth(targets, kinds))))
            l1, l2 = strengths(near, kinds)
        if self.l1 is not None:
            l1[:] = self.l1
        if self.l2 is not None:
            l2[:] = self.l2
        return l1, l2, near

    def _centered(self, index: Index, targets: Vectors) -> tuple[Index, Vectors]:
        """Return documents and queries with the mean document taken away, if that is asked for."""
        if not self.center:
            return index, targets
        here = at_hand(index)
        if here is None:
            raise ValueError("center=True needs the corpus in memory: hand in an array or a MemoryIndex")
        return here.centered, Vectors.made(targets.meaning - here.mean, targets.words, targets.roots)


def _less(targets: Vectors, index: Index, weighed: list[tuple[Keys, Array]]) -> Vectors:
    """Return what each target is without its documents, by their weights; these are fetched at once."""
    ends = np.cumsum([0, *(len(ids) for ids, _ in weighed)])
    if ends[-1] == 0:
        return targets
    ids, places = different(np.concatenate([ids for ids, _ in weighed]))
    documents, views = fetch(index, ids), dict[int, Vectors]()
    for which, view in suiting(index, targets):
        views.update(dict.fromkeys(which.tolist(), kind(view)))
    rows = [targets.one(q).as_in(views[q]) for q in range(len(targets))]
    spans = [documents.take(places[a:b]) for a, b in pairwise(ends.tolist())]
    less = [row.less(weights, some) for row, (_, weights), some in zip(rows, weighed, spans, strict=True)]
    return Vectors.join(less)
