"""LlamaIndex gets the answers of Coverset, from a store and from any of its own indexes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from coverset import Dense, Retriever
from coverset.encoders import Encoder
from coverset.integrations.llamaindex import CoversetEmbedding, CoversetPostprocessor, CoversetRetriever
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


def test_a_store_answers_as_it_does_without_llamaindex(store: Path) -> None:
    retriever = Retriever.open(store)
    hits = retriever.search(QUERY, 3)
    nodes = CoversetRetriever(retriever, k=3).retrieve(QUERY)
    assert [(n.node_id, n.text, n.score, n.metadata) for n in nodes] == [
        (h.id, h.text, h.score, {**h.meta, **told(h)}) for h in hits
    ]
    awaited = asyncio.run(CoversetRetriever(retriever, k=3).aretrieve(QUERY))
    assert [n.node_id for n in awaited] == [h.id for h in hits]


def test_a_store_is_filtered_and_decoded_as_told(store: Path) -> None:
    found = CoversetRetriever(Retriever.open(store), k=2, where={"part": "time"}, decoder=Dense()).retrieve(QUERY)
    assert [n.metadata["part"] for n in found] == ["time", "time"]


@pytest.mark.parametrize("asked", ASKED)
def test_a_retriever_may_be_told_whatever_a_search_may(store: Path, asked: dict[str, Any]) -> None:
    retriever = Retriever.open(store)
    hits = retriever.search(REQUEST, 3, **asked)
    nodes = CoversetRetriever(retriever, 3, **asked).retrieve(REQUEST)
    assert [(n.node_id, n.score, n.metadata) for n in nodes] == [
        (h.id, h.score, {**h.meta, **told(h)}) for h in hits
    ]


def test_a_query_brings_its_parts_through_a_query_engine(store: Path, encoder: Encoder) -> None:
    retriever, bundle = Retriever.open(store), QueryBundle(REQUEST, custom_embedding_strs=[REQUEST, *STEPS])
    hits = retriever.search(REQUEST, 2, parts=STEPS)
    assert {hit.id for hit in hits} == {"keys", "sick"}
    everything = CoversetRetriever(retriever, 6, decoder=Dense(distinct=False))
    chosen = CoversetPostprocessor(embed_model=CoversetEmbedding(encoder), k=2)
    for engine in (
        RetrieverQueryEngine.from_args(CoversetRetriever(retriever, 2), llm=MockLLM()),
        RetrieverQueryEngine.from_args(everything, llm=MockLLM(), node_postprocessors=[chosen]),
    ):
        assert [n.node_id for n in engine.query(bundle).source_nodes] == [h.id for h in hits]
    alone = QueryBundle(REQUEST, custom_embedding_strs=[REQUEST])  # as query transformations make it
    nodes = CoversetRetriever(retriever, 2).retrieve(alone)
    assert [n.node_id for n in nodes] == [h.id for h in retriever.search(REQUEST, 2)]


def test_what_is_said_of_a_node_reaches_neither_model_nor_embedding(store: Path) -> None:
    node = CoversetRetriever(Retriever.open(store), 1).retrieve(QUERY)[0].node
    for mode in (MetadataMode.LLM, MetadataMode.EMBED):
        assert node.get_content(metadata_mode=mode) == f"part: time\n\n{TEXTS[node.node_id]}"


def test_what_nothing_answers_gets_one_node_that_says_so(store: Path) -> None:
    nodes = CoversetRetriever(Retriever.open(store), 3).retrieve(UNANSWERED)
    assert [n.metadata["coverset_answered"] for n in nodes] == [False]


@pytest.mark.parametrize("asked", [{}, *ASKED[:3], {"decoder": JOINT}])
def test_nodes_are_chosen_among_as_a_store_of_them_would(
    store: Path, encoder: Encoder, asked: dict[str, Any]
) -> None:
    hits = Retriever.open(store).search(REQUEST, 3, **asked)
    nodes = [NodeWithScore(node=TextNode(id_=i, text=text)) for i, text in TEXTS.items()]
    postprocessor = CoversetPostprocessor(embed_model=CoversetEmbedding(encoder), k=3, **asked)
    found = postprocessor.postprocess_nodes(nodes, query_str=REQUEST)
    assert [n.node_id for n in found] == [h.id for h in hits]
    assert [n.score for n in found] == pytest.approx([h.score for h in hits], abs=1e-5)
    assert same([n.metadata for n in found], [told(h) for h in hits])
    assert not any(n.node.metadata for n in nodes)


def test_nodes_of_any_index_are_decoded_jointly(encoder: Encoder) -> None:
    model = CoversetEmbedding(encoder)
    index = VectorStoreIndex([TextNode(id_=i, text=text) for i, text in TEXTS.items()], embed_model=model)
    nearest = index.as_retriever(similarity_top_k=2).retrieve(QUERY)
    candidates = index.as_retriever(similarity_top_k=50).retrieve(QUERY)
    postprocessor = CoversetPostprocessor(embed_model=model, k=2, words=None, decoder=JOINT)
    nodes = postprocessor.postprocess_nodes(candidates, query_str=QUERY)
    ids = list(TEXTS)
    expected = JOINT.decode(encoder.encode_queries([QUERY])[0], encoder.encode(list(TEXTS.values())), k=2)
    assert [n.node_id for n in nodes] == [ids[i] for i in expected.ids]
    weights = [n.metadata["coverset_weight"] for n in nodes]
    assert weights == pytest.approx(expected.weights, abs=1e-5)
    assert "train" in [n.node_id for n in nodes]
    assert "train" not in [n.node_id for n in nearest]
    awaited = asyncio.run(postprocessor.apostprocess_nodes(candidates, query_str=QUERY))
    assert [n.node_id for n in awaited] == [n.node_id for n in nodes]


def test_misspelt_and_impossible_arguments_are_errors(store: Path, encoder: Encoder) -> None:
    model = CoversetEmbedding(encoder)
    for wrong, message in WRONG:
        with pytest.raises(ValueError, match=message):
            CoversetPostprocessor(embed_model=model, **wrong)
    for wrong, message in WRONG[:-1]:
        with pytest.raises(ValueError, match=message):
            CoversetRetriever(Retriever.open(store), **wrong)
    with pytest.raises(ValueError, match="parts must be different from each other"):
        CoversetRetriever(Retriever.open(store)).retrieve(QueryBundle(QUERY, custom_embedding_strs=["a", "a"]))
    with pytest.raises(ValueError, match="top_n"):
        CoversetPostprocessor(embed_model=model, top_n=3)
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        CoversetPostprocessor(embed_model=model, k=0)
    with pytest.raises(ValueError, match="query_bundle must be given"):
        CoversetPostprocessor(embed_model=model).postprocess_nodes([])
    assert CoversetPostprocessor(embed_model=model).postprocess_nodes([], query_str=QUERY) == []
