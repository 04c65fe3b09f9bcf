"""Coverset in LlamaIndex: a retriever and a node postprocessor that return a set instead of the nearest.

from coverset.integrations.llamaindex import CoversetPostprocessor, CoversetRetriever

CoversetRetriever(Retriever.open("handbook.cover"), k=5)               # a store of Coverset's own
index.as_query_engine(similarity_top_k=50, node_postprocessors=[CoversetPostprocessor(k=5)])   # any index
FunctionAgent(llm=llm, tool_retriever=ToolsNeeded(tools, k=5))         # an agent's tools
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from coverset.extras import require
from coverset.plain import Json

require("llama_index.core", "llamaindex", run=False)

from llama_index.core import Settings
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import BeforeValidator, ConfigDict, Field, PrivateAttr, model_validator
from llama_index.core.objects import ObjectRetriever
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, QueryType, TextNode
from llama_index.core.tools import BaseTool

from coverset.decoders import NNN, Decoder
from coverset.encoders.encoder import Encoder
from coverset.integrations.asked import as_asked, as_share
from coverset.integrations.candidates import Candidates, Chooser, Request
from coverset.integrations.found import NAMES, SCORE, said
from coverset.integrations.tools import Choosing, ToolChooser
from coverset.retriever import Retriever, as_retriever
from coverset.store.queries import Parts

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class CoversetRetriever(BaseRetriever):
    """Documents of a store that together cover a query; a node's score is the share of it that it explains.

    A query says what it is made of in its bundle: `retrieve(QueryBundle(query, custom_embedding_strs=steps))`.

    Parameters
    ----------
    store
        A `coverset.Retriever`.
    k
        How many documents.
    where
        Only documents whose metadata match.
    decoder
        Another rule than the store's own.
    parts
        What queries are made of that do not say it themselves: "auto" tells it from their text, None takes each as
        one thing, a list of texts is taken as it is: an agent knows its steps.
    share
        The share of words in a score, from 0 to 1; None: the store's own.
    """

    def __init__(
        self,
        store: Retriever,
        k: int = 5,
        *,
        where: Json | None = None,
        decoder: Decoder | None = None,
        parts: Parts = "auto",
        share: float | None = None,
    ) -> None:
        self._store, self._k, self._where, self._decoder = as_retriever(store), k, where, decoder
        self._parts, self._share = as_asked(parts), as_share(share)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        answer = self._store.answer(
            query_bundle.query_str,
            self._k,
            where=self._where,
            decoder=self._decoder,
            parts=_parts(query_bundle, self._parts),
            share=self._share,
        )
        return [
            _found(TextNode(id_=hit.id, text=hit.text, metadata=hit.meta), said(hit, answered=answer.answered))
            for hit in answer.hits
        ]


class CoversetPostprocessor(BaseNodePostprocessor):
    """Those of the nodes found that together cover the query; a node's score becomes the share that it explains.

    A query says what it is made of in its bundle, as for `CoversetRetriever`.

    Parameters
    ----------
    embed_model
        Makes vectors of the query, of its parts and of nodes that have none; default: `Settings.embed_model`.
    k
        How many nodes to keep.
    decoder
        The rule that picks.
    words
        The language that words are taken out of texts by, to be compared beside their meaning; None: meaning only.
    parts
        What queries are made of that do not say it themselves, as `CoversetRetriever` takes it.
    share
        The share of words in a score, from 0 to 1; None: as a store has it.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")
    embed_model: BaseEmbedding = Field(default_factory=lambda: Settings.embed_model)
    k: int = Field(default=5, ge=1)
    decoder: Decoder = Field(default_factory=NNN)
    words: str | None = "english"
    parts: Annotated[Parts, BeforeValidator(as_asked)] = "auto"
    share: Annotated[float | None, BeforeValidator(as_share)] = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._chooser(self.parts)
        return self

    def _chooser(self, parts: Parts) -> Chooser:
        return Chooser(self.k, self.decoder, self.words, parts, self.share)

    @classmethod
    def class_name(cls) -> str:
        """Return the name that LlamaIndex keeps."""
        return "CoversetPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            raise ValueError("query_bundle must be given: the nodes are chosen for a query")
        if not nodes:
            return []
        text, embed = query_bundle.query_str, self.embed_model.get_query_embedding
        texts = [found.node.get_content(metadata_mode=MetadataMode.EMBED) for found in nodes]
        candidates = Candidates([found.node.node_id for found in nodes], texts, self._vectors(nodes, texts))
        request = Request(query_bundle.embedding or embed(text), text, embed)
        chosen = self._chooser(_parts(query_bundle, self.parts)).choose(request, candidates)
        return [_found(nodes[position].node, more) for position, more in chosen]

    def _vectors(self, nodes: list[NodeWithScore], texts: list[str]) -> list[list[float]]:
        """The nodes' own vectors if all have one; else all are embedded, so that they compare."""
        own = [found.node.embedding for found in nodes if found.node.embedding is not None]
        return own if len(own) == len(nodes) else self.embed_model.get_text_embedding_batch(texts)


class ToolsNeeded(ObjectRetriever[BaseTool]):
    """The tools that together do what a request asks for: an agent's `tool_retriever`. No model is asked which.

    Parameters
    ----------
    tools
        All tools.
    k
        How many of them the model is handed.
    how
        `always`, `encoder` and `decoder`, as `ToolChooser` has them.
    """

    def __init__(self, tools: Sequence[BaseTool], k: int = 5, **how: Unpack[Choosing]) -> None:
        self._tools = list(tools)
        self._chooser = ToolChooser(k, **how)

    def retrieve(self, str_or_query_bundle: QueryType) -> list[BaseTool]:
        """Return the tools for a request."""
        asked = str_or_query_bundle
        return self._chooser.choose(asked if isinstance(asked, str) else asked.query_str, self._tools)

    async def aretrieve(self, str_or_query_bundle: QueryType) -> list[BaseTool]:
        """Return the tools for a request; others are served meanwhile."""
        return await asyncio.to_thread(self.retrieve, str_or_query_bundle)


class CoversetEmbedding(BaseEmbedding):
    """An encoder of Coverset's, such as the offline one, where LlamaIndex wants an embedding model.

    Parameters
    ----------
    encoder
        As `coverset.encoders.load_encoder` returns it.
    """

    _encoder: Encoder = PrivateAttr()

    def __init__(self, encoder: Encoder) -> None:
        super().__init__(model_name=encoder.name)
        self._encoder = encoder

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._encoder.encode(texts).tolist()
        return vectors

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        vector: list[float] = self._encoder.encode_queries([query])[0].tolist()
        return vector

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def _parts(query: QueryBundle, others: Parts) -> Parts:
    """Return the parts that a query brings along, else the others. LlamaIndex itself may list the query as one."""
    listed = [text for text in query.custom_embedding_strs or () if text != query.query_str]
    return listed or others


def _found(node: BaseNode, more: Json) -> NodeWithScore:
    """Return a node with more metadata, which neither models nor embeddings get to read."""
    changes = {
        "metadata": {**node.metadata, **more},
        "excluded_embed_metadata_keys": [*node.excluded_embed_metadata_keys, *NAMES],
        "excluded_llm_metadata_keys": [*node.excluded_llm_metadata_keys, *NAMES],
    }
    return NodeWithScore(node=node.model_copy(update=changes), score=more[SCORE])
