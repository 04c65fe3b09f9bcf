"""LlamaIndex gets the answers of Coverset, from a store and from any of its own indexes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.schema import TextNode

from coverset import NNN, Dense, Retriever
from coverset.encoders import Encoder
from coverset.integrations.llamaindex import CoversetEmbedding, CoversetPostprocessor, CoversetRetriever
from tests.integrations.conftest import QUERY, TEXTS

JOINT = NNN(l1=0.1, l2=0.1)


def test_a_store_answers_as_it_does_without_llamaindex(store: Path) -> None:
    retriever = Retriever.open(store)
    hits = retriever.search(QUERY, 3)
    nodes = CoversetRetriever(retriever, k=3).retrieve(QUERY)
    assert [(n.node_id, n.text, n.score) for n in nodes] == [(h.id, h.text, h.weight) for h in hits]
    assert nodes[0].metadata == hits[0].meta
    awaited = asyncio.run(CoversetRetriever(retriever, k=3).aretrieve(QUERY))
    assert [n.node_id for n in awaited] == [h.id for h in hits]


def test_a_store_is_filtered_and_decoded_as_told(store: Path) -> None:
    found = CoversetRetriever(Retriever.open(store), k=2, where={"part": "time"}, decoder=Dense()).retrieve(QUERY)
    assert [n.metadata["part"] for n in found] == ["time", "time"]


def test_nodes_of_any_index_are_decoded_jointly(encoder: Encoder) -> None:
    model = CoversetEmbedding(encoder)
    index = VectorStoreIndex([TextNode(id_=i, text=text) for i, text in TEXTS.items()], embed_model=model)
    nearest = index.as_retriever(similarity_top_k=2).retrieve(QUERY)
    candidates = index.as_retriever(similarity_top_k=50).retrieve(QUERY)
    postprocessor = CoversetPostprocessor(embed_model=model, k=2, decoder=JOINT)
    nodes = postprocessor.postprocess_nodes(candidates, query_str=QUERY)
    ids = list(TEXTS)
    expected = JOINT.decode(encoder.encode_queries([QUERY])[0], encoder.encode(list(TEXTS.values())), k=2)
    assert [n.node_id for n in nodes] == [ids[i] for i in expected.ids]
    assert np.allclose([n.score for n in nodes], expected.weights, atol=1e-5)
    assert "train" in [n.node_id for n in nodes]
    assert "train" not in [n.node_id for n in nearest]
    awaited = asyncio.run(postprocessor.apostprocess_nodes(candidates, query_str=QUERY))
    assert [n.node_id for n in awaited] == [n.node_id for n in nodes]


def test_misspelt_and_impossible_arguments_are_errors(encoder: Encoder) -> None:
    model = CoversetEmbedding(encoder)
    with pytest.raises(ValueError, match="top_n"):
        CoversetPostprocessor(embed_model=model, top_n=3)
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        CoversetPostprocessor(embed_model=model, k=0)
    with pytest.raises(ValueError, match="query_bundle must be given"):
        CoversetPostprocessor(embed_model=model).postprocess_nodes([])
    assert CoversetPostprocessor(embed_model=model).postprocess_nodes([], query_str=QUERY) == []
