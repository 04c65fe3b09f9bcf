"""LangChain gets the answers of Coverset, from a store and from any of its own vector stores."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from coverset import NNN, Dense, Retriever
from coverset.encoders import Encoder
from coverset.integrations.langchain import (
    WEIGHT,
    CoversetCompressor,
    CoversetEmbeddings,
    CoversetRetriever,
    JointRetriever,
)
from tests.integrations.conftest import QUERY, TEXTS

JOINT = NNN(l1=0.1, l2=0.1)


@pytest.fixture(scope="module")
def vectorstore(encoder: Encoder) -> InMemoryVectorStore:
    found = InMemoryVectorStore(CoversetEmbeddings(encoder))
    found.add_documents([Document(id=i, page_content=text, metadata={"id": i}) for i, text in TEXTS.items()])
    return found


def test_a_store_answers_as_it_does_without_langchain(store: Path) -> None:
    retriever = Retriever.open(store)
    hits = retriever.search(QUERY, 3)
    documents = CoversetRetriever(store=retriever, k=3).invoke(QUERY)
    assert [(d.id, d.page_content, d.metadata[WEIGHT]) for d in documents] == [
        (h.id, h.text, h.weight) for h in hits
    ]
    assert documents[0].metadata["part"] == hits[0].meta["part"]


def test_a_store_is_filtered_and_decoded_as_told_and_works_in_a_chain(store: Path) -> None:
    retriever = CoversetRetriever(store=Retriever.open(store), k=2, where={"part": "time"}, decoder=Dense())
    chain = retriever | RunnableLambda(lambda documents: sorted(d.metadata["part"] for d in documents))
    assert chain.invoke(QUERY) == ["time", "time"]
    assert asyncio.run(chain.ainvoke(QUERY)) == ["time", "time"]


def test_candidates_of_any_vector_store_are_decoded_jointly(
    vectorstore: InMemoryVectorStore, encoder: Encoder
) -> None:
    nearest = [d.id for d in vectorstore.similarity_search(QUERY, k=2)]
    documents = JointRetriever(vectorstore=vectorstore, k=2, decoder=JOINT).invoke(QUERY)
    ids = list(TEXTS)
    expected = JOINT.decode(encoder.encode_queries([QUERY])[0], encoder.encode(list(TEXTS.values())), k=2)
    assert [d.id for d in documents] == [ids[i] for i in expected.ids]
    assert np.allclose([d.metadata[WEIGHT] for d in documents], expected.weights, atol=1e-5)
    assert "train" in [d.id for d in documents]
    assert "train" not in nearest


def test_few_candidates_and_filters_of_the_vector_store_are_respected(vectorstore: InMemoryVectorStore) -> None:
    nearest = {d.id for d in vectorstore.similarity_search(QUERY, k=3)}
    assert {d.id for d in JointRetriever(vectorstore=vectorstore, k=3, fetch_k=3).invoke(QUERY)} == nearest
    only = JointRetriever(vectorstore=vectorstore, search_kwargs={"filter": lambda d: d.metadata["id"] == "keys"})
    assert [d.id for d in only.invoke(QUERY)] == ["keys"]
    nothing = JointRetriever(vectorstore=vectorstore, search_kwargs={"filter": lambda _: False})
    assert nothing.invoke(QUERY) == []


def test_a_compressor_keeps_what_was_handed_in_as_it_was(encoder: Encoder) -> None:
    documents = [Document(page_content=text, metadata={"n": n}) for n, text in enumerate(TEXTS.values())]
    kept = CoversetCompressor(embeddings=CoversetEmbeddings(encoder), k=2).compress_documents(documents, QUERY)
    assert len(kept) == 2
    assert all(documents[d.metadata["n"]].page_content == d.page_content for d in kept)
    assert all(WEIGHT not in d.metadata for d in documents)


def test_misspelt_and_impossible_arguments_are_errors(vectorstore: InMemoryVectorStore) -> None:
    with pytest.raises(ValueError, match="lambda_mult"):
        JointRetriever(vectorstore=vectorstore, lambda_mult=0.5)
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        JointRetriever(vectorstore=vectorstore, k=0)
