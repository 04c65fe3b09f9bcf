"""Haystack gets the answers of Coverset in pipelines, also in those that were saved."""

from __future__ import annotations

import os
from pathlib import Path

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import numpy as np
import pytest
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from coverset import NNN, Dense, Retriever
from coverset.encoders import Encoder
from coverset.integrations.haystack import CoversetRanker, CoversetRetriever
from tests.integrations.conftest import QUERY, TEXTS

JOINT = NNN(l1=0.1, l2=0.1)


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
            (h.id, h.text, h.weight, h.meta) for h in hits
        ]


def test_a_run_comes_before_the_component(store: Path) -> None:
    retriever = CoversetRetriever(str(store), top_k=3, decoder=Dense())
    found = retriever.run(query=QUERY, top_k=2, where={"part": "time"})["documents"]
    assert [d.meta["part"] for d in found] == ["time", "time"]


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
    assert np.allclose([d.score for d in found], expected.weights, atol=1e-5)
    assert "train" in [d.id for d in found]
    nearest = InMemoryEmbeddingRetriever(document_store=documents, top_k=2).run(**vector)["documents"]
    assert "train" not in [d.id for d in nearest]


def test_what_cannot_be_used_is_an_error_that_says_so(store: Path) -> None:
    with pytest.raises(ValueError, match="'a' has none: give the retriever before this return_embedding=True"):
        CoversetRanker().run(documents=[Document(id="a", content="x")], query_embedding=[1.0])
    with pytest.raises(ValueError, match="top_k must be a whole number >= 1"):
        CoversetRanker(top_k=0)
    with pytest.raises(FileNotFoundError, match="there is no store"):
        CoversetRetriever(str(store / "nothing"))
    assert CoversetRanker().run(documents=[], query_embedding=[1.0]) == {"documents": []}
    restored = CoversetRanker.from_dict(CoversetRanker(top_k=4, decoder=NNN(l1=0.2, l2=0.3)).to_dict())
    assert (restored.top_k, restored.decoder) == (4, NNN(l1=0.2, l2=0.3))
