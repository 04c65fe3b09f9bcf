"""LangChain gets the answers of Coverset, from a store and from any of its own vector stores."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from coverset import Dense, Retriever
from coverset.encoders import Encoder
from coverset.integrations.langchain import (
    SCORE,
    WEIGHT,
    CoversetCompressor,
    CoversetEmbeddings,
    CoversetRetriever,
    JointRetriever,
)
from tests.integrations.conftest import ASKED, JOINT, QUERY, REQUEST, STEPS, TEXTS, UNANSWERED, WRONG, same, told


@pytest.fixture(scope="module")
def vectorstore(encoder: Encoder) -> InMemoryVectorStore:
    found = InMemoryVectorStore(CoversetEmbeddings(encoder))
    found.add_documents([Document(id=i, page_content=text, metadata={"id": i}) for i, text in TEXTS.items()])
    return found


def test_a_store_answers_as_it_does_without_langchain(store: Path) -> None:
    retriever = Retriever.open(store)
    hits = retriever.search(QUERY, 3)
    documents = CoversetRetriever(store=retriever, k=3).invoke(QUERY)
    assert [(d.id, d.page_content, d.metadata) for d in documents] == [
        (h.id, h.text, {**h.meta, **told(h)}) for h in hits
    ]
    assert 0 < documents[0].metadata[SCORE] <= 1


@pytest.mark.parametrize("asked", [*ASKED, {"parts": None}, {"k": 2}, {"decoder": Dense()}])
def test_a_call_may_be_told_whatever_a_search_may(store: Path, asked: dict[str, Any]) -> None:
    retriever = Retriever.open(store)
    plain, changed = CoversetRetriever(store=retriever, k=3), {"k": 3, **asked}
    expected = [(h.id, {**h.meta, **told(h)}) for h in retriever.search(REQUEST, **changed)]
    assert expected != [(h.id, {**h.meta, **told(h)}) for h in retriever.search(REQUEST, 3)]
    for found in (
        plain.invoke(REQUEST, **asked),
        asyncio.run(plain.ainvoke(REQUEST, **asked)),
        plain.bind(**asked).invoke(REQUEST),
        CoversetRetriever(store=retriever, **changed).invoke(REQUEST),
    ):
        assert [(d.id, d.metadata) for d in found] == expected
    assert {d.id for d in plain.invoke(REQUEST, k=2, parts=STEPS)} == {"keys", "sick"}


def test_what_nothing_answers_gets_one_document_that_says_so(store: Path) -> None:
    documents = CoversetRetriever(store=Retriever.open(store), k=3).invoke(UNANSWERED)
    assert [d.metadata["coverset_answered"] for d in documents] == [False]


def test_a_store_is_filtered_and_decoded_as_told_and_works_in_a_chain(store: Path) -> None:
    retriever = CoversetRetriever(store=Retriever.open(store), k=2, where={"part": "time"}, decoder=Dense())
    chain = retriever | RunnableLambda(lambda documents: sorted(d.metadata["part"] for d in documents))
    assert chain.invoke(QUERY) == ["time", "time"]
    assert asyncio.run(chain.ainvoke(QUERY)) == ["time", "time"]


def test_candidates_of_any_vector_store_are_decoded_jointly(
    vectorstore: InMemoryVectorStore, encoder: Encoder
) -> None:
    nearest = [d.id for d in vectorstore.similarity_search(QUERY, k=2)]
    documents = JointRetriever(vectorstore=vectorstore, k=2, words=None, decoder=JOINT).invoke(QUERY)
    ids = list(TEXTS)
    expected = JOINT.decode(encoder.encode_queries([QUERY])[0], encoder.encode(list(TEXTS.values())), k=2)
    assert [d.id for d in documents] == [ids[i] for i in expected.ids]
    assert [d.metadata[WEIGHT] for d in documents] == pytest.approx(expected.weights, abs=1e-5)
    assert "train" in [d.id for d in documents]
    assert "train" not in nearest


@pytest.mark.parametrize("asked", [{}, *ASKED[:3], {"k": 2, "decoder": Dense()}, {"k": 4, "decoder": JOINT}])
def test_candidates_are_chosen_among_as_a_store_of_them_would(
    store: Path, vectorstore: InMemoryVectorStore, asked: dict[str, Any]
) -> None:
    hits = Retriever.open(store).search(REQUEST, **{"k": 3, **asked})
    joint = JointRetriever(vectorstore=vectorstore, k=3)
    for found in (joint.invoke(REQUEST, **asked), asyncio.run(joint.ainvoke(REQUEST, **asked))):
        assert [d.id for d in found] == [h.id for h in hits]
        assert same([d.metadata for d in found], [{"id": h.id, **told(h)} for h in hits])
    unanswered = joint.invoke(UNANSWERED)
    assert [d.metadata["coverset_answered"] for d in unanswered] == [False] * 3


def test_what_is_nearest_to_a_part_is_a_candidate(vectorstore: InMemoryVectorStore) -> None:
    assert "keys" not in [d.id for d in vectorstore.similarity_search(QUERY, k=2)]
    joint = JointRetriever(vectorstore=vectorstore, k=2, fetch_k=2)
    assert {d.id for d in joint.invoke(QUERY, parts=STEPS)} == {"keys", "sick"}


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
    with pytest.raises(ValueError, match="lambda_mult"):
        JointRetriever(vectorstore=vectorstore).invoke(QUERY, lambda_mult=0.5)
    for wrong, message in WRONG:
        with pytest.raises(ValueError, match=message):
            JointRetriever(vectorstore=vectorstore, **wrong)
        with pytest.raises(ValueError, match=message):
            JointRetriever(vectorstore=vectorstore).invoke(QUERY, **wrong)


def test_parts_and_shares_are_refused_as_a_store_refuses_them(store: Path) -> None:
    retriever = Retriever.open(store)
    for wrong, message in WRONG[:-1]:
        with pytest.raises(ValueError, match=message):
            retriever.search(QUERY, **wrong)
        with pytest.raises(ValueError, match=message):
            CoversetRetriever(store=retriever, **wrong)
        with pytest.raises(ValueError, match=message):
            CoversetRetriever(store=retriever).invoke(QUERY, **wrong)
