"""What the service does with a store. It runs in the gate's threads; requests that are wrong raise ValueError."""

from __future__ import annotations

import time
from functools import lru_cache

import numpy as np

import coverset
from coverset.arrays import Floats
from coverset.decoders import NNN, Decoder, Dense
from coverset.decoders.registry import changed, make, name_of
from coverset.evaluation.evaluate import evaluate
from coverset.evaluation.metrics import Comp, Recall
from coverset.evaluation.tune import FEW, Trial, attempt, best, choose
from coverset.explanation import reasons
from coverset.indexes import MemoryIndex
from coverset.retriever import Retriever
from coverset.selection import Selection
from coverset.server import compared, schemas
from coverset.server.comparison import compare
from coverset.server.decoding import affordable, as_default
from coverset.server.metrics import Metrics
from coverset.store import Snapshot

# Queries whose vectors are kept: whoever drags a slider asks the same query again and again.
REMEMBERED = 1024
# Documents to warm up with.
FEW_AND_MANY = (100, 2500)


class Engine:
    """A store as the service sees it."""

    def __init__(self, retriever: Retriever, metrics: Metrics) -> None:
        self.retriever, self.metrics = retriever, metrics
        self._vector = lru_cache(REMEMBERED)(self._encode)

    def warm(self) -> None:
        """Load the encoder and compile the solver, so that the first request need not wait for them.

        Over a few documents and over many, as the solver goes about them in different ways.
        """
        vectors = np.repeat(self.retriever.query_vectors(["warm up"]), 2, axis=0)
        noise = np.random.default_rng(0).standard_normal((FEW_AND_MANY[1], self.retriever.dim))
        corpus = (vectors[0] + noise / np.linalg.norm(noise, axis=1, keepdims=True)).astype(np.float32)
        for count in FEW_AND_MANY:
            index = MemoryIndex(corpus[:count] / np.linalg.norm(corpus[:count], axis=1, keepdims=True))
            for nnn in (NNN(), NNN(l1=0.05, l2=0.1)):
                nnn.decode_batch(vectors, index, k=5)
                nnn.decode(vectors[0], index, k=None)
            reasons(vectors[0], index, Dense().decode(vectors[0], index, k=5).ids)
        self.retriever.snapshot()

    def store(self) -> schemas.Store:
        """Say what is being served."""
        snapshot = self.retriever.snapshot()
        return schemas.Store(
            documents=len(snapshot),
            encoder=self.retriever.encoder_name,
            dim=self.retriever.dim,
            version=snapshot.version,
            default=as_default(snapshot.decoder),
            configured=snapshot.decoder != NNN(),
            coverset=coverset.__version__,
        )

    def search(self, request: schemas.Search | schemas.SearchBatch) -> list[schemas.Answer]:
        """Answer one query or several, all from the same version."""
        queries = [request.query] if isinstance(request, schemas.Search) else request.queries
        vectors = self._vectors(queries)
        snapshot = self.retriever.snapshot().where(request.where)
        decoder = affordable(changed(snapshot.decoder, request.decoder, request.given()))
        if snapshot.index is None:
            nothing = schemas.Answer(hits=[], certified=None, gap=None, passes=0)
            return [nothing] * len(queries)
        selections = self._decode(decoder, vectors, snapshot, request.k)
        answers = [_answer(selection, snapshot) for selection in selections]
        if request.explain:
            for vector, selection, answer in zip(vectors, selections, answers, strict=True):
                _explain(vector, selection, snapshot, answer)
        return answers

    def compare(self, request: compared.Compare) -> compared.Comparison:
        """Answer one query by all three decoders."""
        (vector,) = self._vectors([request.query])
        return compare(vector, self.retriever.snapshot().where(request.where), request)

    def get(self, identifier: str) -> schemas.Document | None:
        """Return a document, if it is there."""
        for found in self.retriever.get([identifier]):
            return schemas.Document.model_construct(id=found.id, text=found.text, meta=found.meta)
        return None

    def upsert(self, documents: list[schemas.Document]) -> schemas.Changed:
        """Add or replace documents."""
        changed = self.retriever.add([document.model_dump() for document in documents])
        return schemas.Changed(changed=changed, documents=len(self.retriever))

    def delete(self, ids: list[str]) -> schemas.Changed:
        """Delete documents."""
        return schemas.Changed(changed=self.retriever.delete(ids), documents=len(self.retriever))

    def configure(self, wanted: schemas.Default) -> schemas.Default:
        """Make a decoder the store's own."""
        self.retriever.configure(affordable(make(wanted.decoder, wanted.given())))
        return as_default(self.retriever.decoder)

    def tune(self, request: schemas.Tune) -> schemas.Tuned:
        """Choose NNN's parameters by labelled examples, with care if they are few."""
        snapshot = self.retriever.snapshot()
        missing = sorted({i for example in request.examples for i in example.relevant} - set(snapshot.row))
        if snapshot.index is None or missing:
            raise ValueError(f"relevant documents must be in the store, and {missing[0]!r} is not")
        vectors = self.retriever.query_vectors([example.query for example in request.examples])
        relevant = [np.array([snapshot.row[i] for i in set(example.relevant)]) for example in request.examples]
        trials = attempt("nnn", snapshot.index, vectors, relevant)
        (dense,) = attempt("dense", snapshot.index, vectors, relevant)
        untuned = Trial(NNN(), evaluate(NNN(), snapshot.index, vectors, relevant))
        chosen = choose(trials, untuned) if len(relevant) < FEW else best(trials)
        if request.apply:
            self.retriever.configure(chosen.decoder)
        return schemas.Tuned(
            best=as_default(chosen.decoder),
            comp_at_5=chosen.means[Comp @ 5],
            recall_at_5=chosen.means[Recall @ 5],
            dense_comp_at_5=dense.means[Comp @ 5],
            dense_recall_at_5=dense.means[Recall @ 5],
            applied=request.apply,
        )

    def _vectors(self, queries: list[str]) -> Floats:
        return np.stack([self._vector(queries[0])]) if len(queries) == 1 else self.retriever.query_vectors(queries)

    def _encode(self, query: str) -> Floats:
        vector: Floats = self.retriever.query_vectors([query])[0]
        return vector

    def _decode(self, decoder: Decoder, vectors: Floats, snapshot: Snapshot, k: int) -> list[Selection]:
        start = time.perf_counter()
        assert snapshot.index is not None
        selections = decoder.decode_batch(vectors, snapshot.index, k)
        name = name_of(decoder)
        self.metrics.decoding.labels(name).observe((time.perf_counter() - start) / len(vectors))
        self.metrics.uncertified.inc(sum(selection.certified is False for selection in selections))
        return selections


def _answer(selection: Selection, snapshot: Snapshot) -> schemas.Answer:
    found = zip(map(snapshot.document, selection.ids.tolist()), selection.weights.tolist(), strict=True)
    return schemas.Answer.model_construct(
        hits=[
            schemas.Hit.model_construct(id=d.id, text=d.text, weight=w, meta=d.meta, reason=None) for d, w in found
        ],
        certified=selection.certified,
        gap=selection.gap,
        passes=selection.passes,
    )


def _explain(vector: Floats, selection: Selection, snapshot: Snapshot, answer: schemas.Answer) -> None:
    """Add to an answer why each document is in it."""
    assert snapshot.index is not None
    for hit, reason in zip(answer.hits, reasons(vector, snapshot.index, selection.ids), strict=True):
        displaced = [
            schemas.LeftOut(id=snapshot.ids[d.id], like=hit.id, cosine=d.cosine) for d in reason.displaced
        ]
        hit.reason = schemas.Reason(adds=reason.adds, place=reason.place, displaced=displaced)
