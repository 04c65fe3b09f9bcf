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
from coverset.integrations.candidates import choose
from coverset.integrations.tools import ToolChooser
from coverset.retriever import Retriever

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
    """Documents of a store that together cover a query; a document's score is its weight.

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
    """

    def __init__(
        self, store: str, top_k: int = 5, where: Json | None = None, decoder: Decoder | None = None
    ) -> None:
        self.store, self.top_k, self.where, self.decoder = str(store), as_count("top_k", top_k), where, decoder
        self._retriever = Retriever.open(self.store, create=False)

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None, where: Json | None = None) -> dict[str, list[Document]]:
        """Search the store; `top_k` and `where` of a run come before those of the component."""
        k = self.top_k if top_k is None else as_count("top_k", top_k)
        hits = self._retriever.search(query, k, where=self.where if where is None else where, decoder=self.decoder)
        return {"documents": [Document(id=h.id, content=h.text, meta=h.meta, score=h.weight) for h in hits]}

    def to_dict(self) -> Json:
        """Return the component as plain data, for a pipeline that is saved."""
        return default_to_dict(
            self, store=self.store, top_k=self.top_k, where=self.where, decoder=_plain(self.decoder)
        )


@component
class CoversetRanker(_Restored):
    """Those of the documents found that together cover the query; a document's score becomes its weight.

    The documents must come with their embeddings: give the retriever before this `return_embedding=True`.

    Parameters
    ----------
    top_k
        How many documents to keep.
    decoder
        The rule that picks; default: NNN.
    """

    def __init__(self, top_k: int = 5, decoder: Decoder | None = None) -> None:
        self.top_k, self.decoder = as_count("top_k", top_k), decoder or NNN()

    @component.output_types(documents=list[Document])
    def run(
        self, documents: list[Document], query_embedding: list[float], top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Choose among the documents; `top_k` of a run comes before that of the component."""
        k = self.top_k if top_k is None else as_count("top_k", top_k)
        vectors: list[list[float]] = []
        for document in documents:
            if document.embedding is None:
                raise ValueError(
                    f"documents must have embeddings, and {document.id!r} has none: "
                    "give the retriever before this return_embedding=True"
                )
            vectors.append(document.embedding)
        chosen = choose(self.decoder, query_embedding, vectors, k)
        return {"documents": [replace(documents[position], score=weight) for position, weight in chosen]}

    def to_dict(self) -> Json:
        """Return the component as plain data, for a pipeline that is saved."""
        return default_to_dict(self, top_k=self.top_k, decoder=_plain(self.decoder))


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
