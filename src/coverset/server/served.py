"""What the service does with a store. It runs in the gate's threads; requests that are wrong raise ValueError."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import coverset
from coverset.answer import Answer
from coverset.decoders import NNN, Decoder
from coverset.decoders.registry import changed, each_changed, make, name_of
from coverset.evaluation.examples import needed
from coverset.evaluation.measuring import Labelled
from coverset.evaluation.metrics import Comp, Recall
from coverset.evaluation.tuning import LEVEL
from coverset.evaluation.tuning_report import Tuning
from coverset.explaining.comparison import compare
from coverset.explaining.path import l1_path
from coverset.explaining.reasons import covered
from coverset.indexes import MemoryIndex
from coverset.retriever import Retriever
from coverset.server import compared, schemas
from coverset.server.counters import Metrics
from coverset.server.settings import LEAST_STRENGTH
from coverset.store.queries import of_each
from coverset.vectors import Vectors

# Documents to warm up with.
FEW_AND_MANY = (100, 2500)


class ServedStore:
    """A store as the service sees it."""

    def __init__(self, retriever: Retriever, metrics: Metrics) -> None:
        self.retriever, self.metrics = retriever, metrics

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
            covered(Vectors.of(vectors[:1]), index.corpus.take(slice(0, 5)))
        self.retriever.snapshot()

    def about(self) -> schemas.Store:
        """Say what is being served."""
        snapshot = self.retriever.snapshot()
        return schemas.Store(
            documents=len(snapshot),
            encoder=self.retriever.encoder_name,
            dim=self.retriever.dim,
            words=self.retriever.words,
            version=snapshot.version,
            default=self._default(),
            configured=snapshot.decoder != NNN(),
            coverset=coverset.__version__,
        )

    def _default(self) -> schemas.Default:
        """Return the store's own decoder and share of words; null where it keeps none, or nobody has set it."""
        return schemas.Default.of(self.retriever.decoder, self.retriever.share)

    def search(self, request: schemas.Search | schemas.SearchBatch) -> list[schemas.Answer]:
        """Answer one query or several, all from the same version."""
        if isinstance(request, schemas.Search):
            queries, parts = [request.query], of_each(request.parts)
        else:
            queries, parts = request.queries, request.parts
        decoder = affordable(request.with_kinds(changed(self.retriever.decoder, request.decoder, request.given())))
        answers = self.retriever.answer_batch(
            queries,
            request.k,
            where=request.where,
            decoder=decoder,
            parts=parts,
            share=request.share,
            per=request.per,
            explain=request.explain,
        )
        self._count(decoder, answers)
        return [schemas.Answer.of(answer) for answer in answers]

    def compare(self, request: compared.Compare) -> compared.Comparison:
        """Answer one query by every decoder."""
        whole = self.retriever.snapshot()
        (reading,) = self.retriever.read([request.query], whole, of_each(request.parts))
        snapshot = whole.where(request.where)
        if request.share is not None:
            snapshot = snapshot.sharing(request.share)
        each = each_changed(snapshot.decoder, request.given())
        decoders = {name: affordable(request.with_kinds(decoder)) for name, decoder in each.items()}
        found = compare(reading, snapshot, decoders, request.k, filtered=request.where is not None)
        nnn = found.answers["nnn"].decoder
        assert isinstance(nnn, NNN)
        path = l1_path(reading.whole, snapshot.index, nnn, snapshot.ids) if request.path else None
        return compared.Comparison.of(found, snapshot, nnn, path)

    def get(self, identifier: str) -> schemas.Document | None:
        """Return a document, if it is there."""
        for found in self.retriever.get([identifier]):
            return schemas.Document.like(found)
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
        decoder = wanted.with_kinds(make(wanted.decoder, wanted.given()))
        self.retriever.configure(affordable(decoder), share=wanted.share)
        return self._default()

    def tune(self, request: schemas.Tune) -> schemas.Tuned:
        """Choose NNN's parameters by labelled examples, with care if they are few."""
        snapshot = self.retriever.snapshot()
        try:
            relevant = [needed(example.relevant, snapshot.row) for example in request.examples]
        except KeyError as error:
            raise ValueError(f"relevant documents must be in the store, and {error.args[0]!r} is not") from error
        assert snapshot.index is not None  # as it has these documents
        readings = self.retriever.read([example.query for example in request.examples], snapshot)
        tuning = Tuning.run("nnn", snapshot.index, Labelled.read(readings, relevant))
        if request.apply:
            self.retriever.configure(tuning.decoder, share=tuning.share)
        return schemas.Tuned(
            best=schemas.Default.of(tuning.decoder, tuning.share),
            comp_at_5=tuning.best.means[Comp @ 5],
            recall_at_5=tuning.best.means[Recall @ 5],
            default_comp_at_5=tuning.default.means[Comp @ 5],
            default_recall_at_5=tuning.default.means[Recall @ 5],
            gain=tuning.choice.gain.mean,
            gain_low=tuning.choice.gain.low,
            gain_high=tuning.choice.gain.high,
            gain_level=LEVEL,
            dense_comp_at_5=tuning.dense.means[Comp @ 5],
            dense_recall_at_5=tuning.dense.means[Recall @ 5],
            applied=request.apply,
        )

    def _count(self, decoder: Decoder, answers: Sequence[Answer]) -> None:
        """Count what operators watch. Answers from candidates alone are not meant to be certified."""
        for answer in answers:
            self.metrics.decoding.labels(name_of(decoder)).observe(answer.seconds)
            if answer.certified is False and getattr(answer.decoder, "candidates", None) is None:
                self.metrics.uncertified.inc()


def affordable(decoder: Decoder) -> Decoder:
    """Return a decoder that may be asked for: settings that give nearly every document weight cost too much."""
    if isinstance(decoder, NNN) and decoder.l1 is not None and decoder.l2 is not None:
        strength = decoder.l1 + decoder.l2
        if strength < LEAST_STRENGTH:
            raise ValueError(f"l1 + l2 must be at least {LEAST_STRENGTH:g}, got {strength:g}")
    return decoder
