"""Haystack gets the answers of Coverset in pipelines, also in those that were saved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import pytest
from haystack import Document, Pipeline, component
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from coverset import NNN, Dense, Retriever
from coverset.encoders import Encoder, load_encoder
from coverset.integrations.haystack import CoversetRanker, CoversetRetriever
from tests.integrations.conftest import (
    ASKED,
    JOINT,
    QUERY,
    REQUEST,
    STEPS,
    TEXTS,
    UNANSWERED,
    WRONG,
    same,
    told,
)

TRUSTED = ["coverset.integrations.haystack", "tests.integrations.test_haystack"]


@component
class Embedder:
    """A text embedder of Haystack's kind."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        return {"embedding": load_encoder().encode_queries([text])[0].tolist()}


@component
class Planner:
    """Something that takes a request apart."""

    @component.output_types(steps=list[str])
    def run(self, query: str) -> dict[str, list[str]]:
        return {"steps": STEPS}


@pytest.fixture(scope="module")
def documents(encoder: Encoder) -> InMemoryDocumentStore:
    documents = InMemoryDocumentStore(embedding_similarity_function="cosine")
    vectors = encoder.encode(list(TEXTS.values())).tolist()
    documents.write_documents(
        [Document(id=i, content=t, embedding=v) for (i, t), v in zip(TEXTS.items(), vectors, strict=True)]
    )
    return documents


def test_a_store_answers_in_a_saved_pipeline_as_it_does_without_haystack(store: Path) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", CoversetRetriever(str(store), top_k=3, decoder=JOINT))
    restored = Pipeline.loads(pipeline.dumps(), allowed_modules=["coverset.integrations.haystack"])
    hits = Retriever.open(store).search(QUERY, 3, decoder=JOINT)
    for each in (pipeline, restored):
        found = each.run({"retriever": {"query": QUERY}})["retriever"]["documents"]
        assert [(d.id, d.content, d.score, d.meta) for d in found] == [
            (h.id, h.text, h.score, {**h.meta, **told(h)}) for h in hits
        ]


def test_a_run_comes_before_the_component(store: Path) -> None:
    retriever = CoversetRetriever(str(store), top_k=3, decoder=Dense())
    found = retriever.run(query=QUERY, top_k=2, where={"part": "time"})["documents"]
    assert [d.meta["part"] for d in found] == ["time", "time"]


@pytest.mark.parametrize("asked", ASKED)
def test_a_component_and_a_run_may_be_told_whatever_a_search_may(store: Path, asked: dict[str, Any]) -> None:
    hits = Retriever.open(store).search(REQUEST, 3, **asked)
    own = CoversetRetriever.from_dict(CoversetRetriever(str(store), top_k=3, **asked).to_dict())
    of_run = CoversetRetriever(str(store), top_k=3)
    for found in (own.run(query=REQUEST)["documents"], of_run.run(query=REQUEST, **asked)["documents"]):
        assert [(d.id, d.score, d.meta) for d in found] == [(h.id, h.score, {**h.meta, **told(h)}) for h in hits]


def test_parts_may_come_from_another_component(store: Path) -> None:
    pipeline = Pipeline()
    pipeline.add_component("planner", Planner())
    pipeline.add_component("retriever", CoversetRetriever(str(store), top_k=2))
    pipeline.connect("planner.steps", "retriever.parts")
    found = pipeline.run({"planner": {"query": REQUEST}, "retriever": {"query": REQUEST}})["retriever"][
        "documents"
    ]
    assert [d.id for d in found] == [h.id for h in Retriever.open(store).search(REQUEST, 2, parts=STEPS)]
    assert {d.id for d in found} == {"keys", "sick"}


def test_what_nothing_answers_gets_one_document_that_says_so(store: Path) -> None:
    found = CoversetRetriever(str(store), top_k=3).run(query=UNANSWERED)["documents"]
    assert [d.meta["coverset_answered"] for d in found] == [False]


@pytest.mark.parametrize("asked", [{}, *ASKED[:3], {"decoder": JOINT}])
def test_documents_are_chosen_among_as_a_store_of_them_would(
    store: Path, documents: InMemoryDocumentStore, asked: dict[str, Any]
) -> None:
    hits = Retriever.open(store).search(REQUEST, 3, **asked)
    query = {"query_embedding": Embedder().run(text=REQUEST)["embedding"], "query": REQUEST}
    of_run = {name: value for name, value in asked.items() if name != "decoder"}
    plain = CoversetRanker(top_k=3, text_embedder=Embedder(), decoder=asked.get("decoder"))
    pipeline = Pipeline()
    pipeline.add_component("ranker", CoversetRanker(top_k=3, text_embedder=Embedder(), **asked))
    restored = Pipeline.loads(pipeline.dumps(), allowed_modules=TRUSTED)
    candidates = {"documents": documents.filter_documents(), **query}
    for found in (restored.run({"ranker": candidates})["ranker"], plain.run(**candidates, **of_run)):
        assert [d.id for d in found["documents"]] == [h.id for h in hits]
        assert [d.score for d in found["documents"]] == pytest.approx([h.score for h in hits], abs=1e-5)
        assert same([d.meta for d in found["documents"]], [told(h) for h in hits])
    without = CoversetRanker(top_k=3).run(**candidates)["documents"]
    assert [d.id for d in without] == [h.id for h in Retriever.open(store).search(REQUEST, 3, parts=None)]


def test_documents_of_any_retriever_are_decoded_jointly(
    documents: InMemoryDocumentStore, encoder: Encoder
) -> None:
    pipeline = Pipeline()
    pipeline.add_component(
        "nearest", InMemoryEmbeddingRetriever(document_store=documents, top_k=50, return_embedding=True)
    )
    pipeline.add_component("ranker", CoversetRanker(top_k=2, decoder=JOINT))
    pipeline.connect("nearest.documents", "ranker.documents")
    query = encoder.encode_queries([QUERY])[0]
    vector = {"query_embedding": query.tolist()}
    found = pipeline.run({"nearest": vector, "ranker": vector})["ranker"]["documents"]
    ids = list(TEXTS)
    expected = JOINT.decode(query, encoder.encode(list(TEXTS.values())), k=2)
    assert [d.id for d in found] == [ids[i] for i in expected.ids]
    assert [d.meta["coverset_weight"] for d in found] == pytest.approx(expected.weights, abs=1e-5)
    assert "train" in [d.id for d in found]
    nearest = InMemoryEmbeddingRetriever(document_store=documents, top_k=2).run(**vector)["documents"]
    assert "train" not in [d.id for d in nearest]


def test_what_cannot_be_used_is_an_error_that_says_so(store: Path) -> None:
    with pytest.raises(ValueError, match="'a' has none: give the retriever before this return_embedding=True"):
        CoversetRanker().run(documents=[Document(id="a", content="x")], query_embedding=[1.0])
    with pytest.raises(ValueError, match="top_k must be a whole number >= 1"):
        CoversetRanker(top_k=0)
    for wrong, message in WRONG:
        with pytest.raises(ValueError, match=message):
            CoversetRanker(text_embedder=Embedder(), **wrong)
    for wrong, message in WRONG[:-1]:
        with pytest.raises(ValueError, match=message):
            CoversetRetriever(str(store), **wrong)
        with pytest.raises(ValueError, match=message):
            CoversetRetriever(str(store)).run(query=QUERY, **wrong)
    here = [Document(id="a", content="x", embedding=[1.0])]
    with pytest.raises(ValueError, match="parts need a text_embedder"):
        CoversetRanker(parts=STEPS)
    with pytest.raises(ValueError, match="parts need a text_embedder"):
        CoversetRanker().run(documents=here, query_embedding=[1.0], query=QUERY, parts=STEPS)
    with pytest.raises(ValueError, match="share must be None without the text of a query"):
        CoversetRanker(share=0.5).run(documents=here, query_embedding=[1.0])
    with pytest.raises(FileNotFoundError, match="there is no store"):
        CoversetRetriever(str(store / "nothing"))
    assert CoversetRanker().run(documents=[], query_embedding=[1.0]) == {"documents": []}
    restored = CoversetRanker.from_dict(CoversetRanker(top_k=4, decoder=NNN(l1=0.2, l2=0.3)).to_dict())
    assert (restored.top_k, restored.decoder) == (4, NNN(l1=0.2, l2=0.3))
