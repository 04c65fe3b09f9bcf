"""Coverset in Haystack: a retriever and a ranker that return a set instead of the nearest.

from coverset.integrations.haystack import CoversetRanker, CoversetRetriever

pipeline.add_component("retriever", CoversetRetriever("handbook.cover", top_k=5))   # a store of Coverset's own
pipeline.add_component("ranker", CoversetRanker(top_k=5))                           # after any embedding retriever
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coverset.extras import require
from coverset.plain import Json

require("haystack", "haystack", run=False)

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.components.embedders.types.protocol import TextEmbedder
from haystack.core.serialization import component_to_dict
from haystack.tools import (
    ToolsType,
    deserialize_tools_or_toolset_inplace,
    flatten_tools_or_toolsets,
    serialize_tools_or_toolset,
    warm_up_tools,
)
from haystack.tools.tool import Tool

from coverset.decoders import NNN, Decoder
from coverset.decoders.registry import as_setting, from_setting
from coverset.inputs import as_count
from coverset.integrations.asked import as_asked, as_share
from coverset.integrations.candidates import Candidates, Chooser, Request
from coverset.integrations.found import SCORE, said
from coverset.integrations.tools import ToolChooser
from coverset.retriever import Retriever
from coverset.store.queries import Parts

if TYPE_CHECKING:
    from typing_extensions import Self


class _Restored:
    """A component with a decoder, out of a pipeline that was saved."""

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Make the component of a saved pipeline."""
        parameters = dict(data.get("init_parameters", {}))
        if parameters.get("decoder") is not None:
            parameters["decoder"] = from_setting(parameters["decoder"])
        if "tools" in parameters:
            deserialize_tools_or_toolset_inplace(parameters, key="tools")
        return default_from_dict(cls, {**data, "init_parameters": parameters})


@component
class CoversetRetriever(_Restored):
    """Documents of a store that together cover a query; a document's score is the share of it that it explains.

    Parameters
    ----------
    store
        The folder of a store, as `coverset add` makes it.
    top_k
        How many documents.
    where
        Only documents whose metadata match.
    decoder
        Another rule than the store's own.
    parts
        What queries are made of: "auto" tells it from their text, None takes each as one thing, a list of texts is
        taken as it is: an agent knows its steps.
    share
        The share of words in a score, from 0 to 1; None: the store's own.
    """

    def __init__(
        self,
        store: str,
        top_k: int = 5,
        where: Json | None = None,
        decoder: Decoder | None = None,
        parts: Parts = "auto",
        share: float | None = None,
    ) -> None:
        self.store, self.top_k, self.where, self.decoder = str(store), as_count("top_k", top_k), where, decoder
        self.parts, self.share = as_asked(parts), as_share(share)
        self._retriever = Retriever.open(self.store, create=False)

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        top_k: int | None = None,
        where: Json | None = None,
        parts: list[str] | None = None,
        share: float | None = None,
    ) -> dict[str, list[Document]]:
        """Search the store; what a run is given comes before what the component was."""
        answer = self._retriever.answer(
            query,
            self.top_k if top_k is None else as_count("top_k", top_k),
            where=self.where if where is None else where,
            decoder=self.decoder,
            parts=self.parts if parts is None else parts,
            share=self.share if share is None else share,
        )
        return {
            "documents": [
                _found(Document(id=hit.id, content=hit.text, meta=hit.meta), said(hit, answered=answer.answered))
                for hit in answer.hits
            ]
        }

    def to_dict(self) -> Json:
        """Return the component as plain data, for a pipeline that is saved."""
        return default_to_dict(
            self,
            store=self.store,
            top_k=self.top_k,
            where=self.where,
            decoder=_plain(self.decoder),
            parts=self.parts,
            share=self.share,
        )


@component
class CoversetRanker(_Restored):
    """Those of the documents found that together cover the query; a document's score is the share it explains.

    The documents must come with their embeddings: give the retriever before this `return_embedding=True`.

    Parameters
    ----------
    top_k
        How many documents to keep.
    decoder
        The rule that picks; default: NNN.
    text_embedder
        Makes embeddings of a query's parts, as that of the query was made; None: queries are not taken apart.
    words
        The language that words are taken out of texts by, to be compared beside their meaning where a run is given
        the query's text; None: meaning only.
    parts
        What queries are made of, as `CoversetRetriever` takes it.
    share
        The share of words in a score, from 0 to 1; None: as a store has it.
    """

    def __init__(
        self,
        top_k: int = 5,
        decoder: Decoder | None = None,
        text_embedder: TextEmbedder | None = None,
        words: str | None = "english",
        parts: Parts = "auto",
        share: float | None = None,
    ) -> None:
        self.top_k, self.decoder = as_count("top_k", top_k), decoder or NNN()
        self.text_embedder, self.words, self.parts, self.share = text_embedder, words, as_asked(parts), share
        self._chooser = Chooser(self.top_k, self.decoder, words, self._embeddable(self.parts), share)

    def warm_up(self) -> None:
        """Have the embedder load its model."""
        if self.text_embedder is not None and hasattr(self.text_embedder, "warm_up"):
            self.text_embedder.warm_up()

    @component.output_types(documents=list[Document])
    def run(
        self,
        documents: list[Document],
        query_embedding: list[float],
        query: str | None = None,
        top_k: int | None = None,
        parts: list[str] | None = None,
        share: float | None = None,
    ) -> dict[str, list[Document]]:
        """Choose among the documents, by words too if the query's text is given.

        What a run is given comes before what the component was.
        """
        chooser = replace(
            self._chooser,
            k=self.top_k if top_k is None else as_count("top_k", top_k),
            parts=self.parts if parts is None else self._embeddable(parts),
            share=self.share if share is None else share,
        )
        vectors: list[list[float]] = []
        for document in documents:
            if document.embedding is None:
                raise ValueError(
                    f"documents must have embeddings, and {document.id!r} has none: "
                    "give the retriever before this return_embedding=True"
                )
            vectors.append(document.embedding)
        texts = [document.content or "" for document in documents]
        request = Request(query_embedding, query, None if self.text_embedder is None else self._embed)
        chosen = chooser.choose(request, Candidates([document.id for document in documents], texts, vectors))
        return {"documents": [_found(documents[position], more) for position, more in chosen]}

    def _embed(self, text: str) -> list[float]:
        assert self.text_embedder is not None
        embedding: list[float] = self.text_embedder.run(text=text)["embedding"]
        return embedding

    def _embeddable(self, parts: Parts) -> Parts:
        """Return parts, if they can be embedded where they are stated."""
        if parts and parts != "auto" and self.text_embedder is None:
            raise ValueError("parts need a text_embedder: give the ranker the one that embeds the query")
        return parts

    def to_dict(self) -> Json:
        """Return the component as plain data, for a pipeline that is saved."""
        embedder = self.text_embedder
        return default_to_dict(
            self,
            top_k=self.top_k,
            decoder=_plain(self.decoder),
            text_embedder=None if embedder is None else component_to_dict(embedder, "text_embedder"),
            words=self.words,
            parts=self.parts,
            share=self.share,
        )


@component
class ToolsNeeded(_Restored):
    """The tools that together do what a request asks for; no model is asked which.

    Connect `tools` to a chat generator's or an agent's input of that name.

    Parameters
    ----------
    tools
        All tools: tools, or toolsets.
    top_k
        How many of them the model is handed.
    always
        Names of tools that come along in any case, beside the top k.
    decoder
        The rule that picks; default: NNN.
    """

    def __init__(
        self, tools: ToolsType, top_k: int = 5, always: list[str] | None = None, decoder: Decoder | None = None
    ) -> None:
        self.tools, self.always, self.decoder = tools, always or [], decoder
        self._chooser = ToolChooser(as_count("top_k", top_k), always=self.always, decoder=decoder)

    def warm_up(self) -> None:
        """Have the toolsets load their tools."""
        warm_up_tools(self.tools)

    @component.output_types(tools=list[Tool])
    def run(self, query: str) -> dict[str, list[Tool]]:
        """Choose the tools for a request."""
        return {"tools": self._chooser.choose(query, flatten_tools_or_toolsets(self.tools))}

    def to_dict(self) -> Json:
        """Return the component as plain data, for a pipeline that is saved."""
        return default_to_dict(
            self,
            tools=serialize_tools_or_toolset(self.tools),
            top_k=self._chooser.k,
            always=self.always,
            decoder=_plain(self.decoder),
        )


def _plain(decoder: Decoder | None) -> Json | None:
    return None if decoder is None else as_setting(decoder)


def _found(document: Document, more: Json) -> Document:
    return replace(document, meta={**document.meta, **more}, score=more[SCORE])
