"""Coverset in LangChain: retrievers and a document compressor that return a set instead of the nearest.

from coverset.integrations.langchain import CoversetRetriever, JointRetriever

CoversetRetriever(store=Retriever.open("handbook.cover"), k=5)     # a store of Coverset's own
JointRetriever(vectorstore=vectorstore, k=5, fetch_k=50)           # any vector store of LangChain
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from coverset.extras import require
from coverset.plain import Foreign, Json

require("langchain_core", "langchain", run=False)

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
    Callbacks,
)
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from langchain_core.vectorstores import VectorStore
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from coverset.decoders import NNN, Decoder
from coverset.encoders.encoder import Encoder
from coverset.integrations.asked import as_asked, as_share
from coverset.integrations.candidates import Candidates, Chooser, Request
from coverset.integrations.found import SCORE, WEIGHT, said
from coverset.retriever import Retriever, as_retriever
from coverset.store.queries import Parts

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "SCORE",
    "WEIGHT",
    "CoversetCompressor",
    "CoversetEmbeddings",
    "CoversetRetriever",
    "JointRetriever",
]

STRICT = ConfigDict(arbitrary_types_allowed=True, extra="forbid")
CheckedParts = Annotated[Parts, BeforeValidator(as_asked)]
CheckedShare = Annotated[float | None, BeforeValidator(as_share)]


class _Retriever(BaseRetriever):
    """A retriever whose fields may also be given with a call, `invoke(query, k=3)`, and are checked alike."""

    model_config = STRICT

    def _told(self, asked: Json) -> Self:
        return self.model_validate({**dict(self), **asked}) if asked else self

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **asked: Foreign
    ) -> list[Document]:
        return await run_in_executor(
            None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **asked
        )


class CoversetRetriever(_Retriever):
    """Documents of a store that together cover a query.

    Any of these may also be given with a call: `invoke(query, parts=["paid holiday", "train tickets"])`.

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
        What requests are made of: "auto" tells it from their text, None takes each as one thing, a list of texts
        is taken as it is: an agent knows its steps.
    share
        The share of words in a score, from 0 to 1; None: the store's own.
    """

    store: Annotated[Retriever, BeforeValidator(as_retriever)]
    k: int = Field(default=5, ge=1)
    where: Json | None = None
    decoder: Decoder | None = None
    parts: CheckedParts = "auto"
    share: CheckedShare = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **asked: Foreign
    ) -> list[Document]:
        own = self._told(asked)
        answer = own.store.answer(
            query, own.k, where=own.where, decoder=own.decoder, parts=own.parts, share=own.share
        )
        return [
            Document(
                id=hit.id, page_content=hit.text, metadata={**hit.meta, **said(hit, answered=answer.answered)}
            )
            for hit in answer.hits
        ]


class _Choosing(BaseModel):
    """What chooses among candidates, as fields."""

    model_config = STRICT
    k: int = Field(default=5, ge=1)
    decoder: Decoder = Field(default_factory=NNN)
    words: str | None = "english"
    parts: CheckedParts = "auto"
    share: CheckedShare = None

    def _chooser(self) -> Chooser:
        return Chooser(self.k, self.decoder, self.words, self.parts, self.share)

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._chooser()
        return self

    def _chosen(self, query: str, documents: Sequence[Document], embeddings: Embeddings) -> list[Document]:
        if not documents:
            return []
        ids = [document.id or str(position) for position, document in enumerate(documents)]
        texts = [document.page_content for document in documents]
        candidates = Candidates(ids, texts, embeddings.embed_documents(texts))
        request = Request(embeddings.embed_query(query), query, embeddings.embed_query)
        return [_with(documents[position], more) for position, more in self._chooser().choose(request, candidates)]


class CoversetCompressor(_Choosing, BaseDocumentCompressor):
    """Those of the documents handed in that together cover the query, for use after any retriever.

    Parameters
    ----------
    embeddings
        Makes vectors of documents, of the query and of its parts.
    k
        How many documents to keep.
    decoder
        The rule that picks.
    words
        The language that words are taken out of texts by, to be compared beside their meaning; None: meaning only.
    parts
        What requests are made of, as `CoversetRetriever` takes it.
    share
        The share of words in a score, from 0 to 1; None: as a store has it.
    """

    embeddings: Embeddings

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return the documents that together cover the query, best first."""
        return self._chosen(query, documents, self.embeddings)


class JointRetriever(_Choosing, _Retriever):
    """Documents of any LangChain vector store that together cover a query, chosen among the nearest.

    Vector stores do not return vectors, so the candidates are embedded once more, by the store's own embeddings.
    Any of these may also be given with a call, as `CoversetRetriever` takes them.

    Parameters
    ----------
    vectorstore
        Where the candidates come from.
    k
        How many documents.
    fetch_k
        How many candidates; k more are fetched for each part of a request.
    decoder, words, parts, share
        As `CoversetCompressor` takes them.
    search_kwargs
        Further arguments of the store's `similarity_search`, as a filter.
    """

    vectorstore: VectorStore
    fetch_k: int = Field(default=50, ge=1)
    search_kwargs: Json = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **asked: Foreign
    ) -> list[Document]:
        own = self._told(asked)
        embeddings, search = own.vectorstore.embeddings, own.vectorstore.similarity_search
        if embeddings is None:
            raise ValueError(
                f"vectorstore must know its embeddings, and {type(own.vectorstore).__name__} does not"
            )
        found = list(search(query, k=max(own.fetch_k, own.k), **own.search_kwargs))
        for part in own._chooser().parts_of(query):
            found += search(part, k=own.k, **own.search_kwargs)
        each = {document.id or f"{document.page_content} {document.metadata}": document for document in found}
        return own._chosen(query, list(each.values()), embeddings)


class CoversetEmbeddings(Embeddings):
    """An encoder of Coverset's, such as the offline one, where LangChain wants embeddings.

    Parameters
    ----------
    encoder
        As `coverset.encoders.load_encoder` returns it.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of documents."""
        vectors: list[list[float]] = self._encoder.encode(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        vector: list[float] = self._encoder.encode_queries([text])[0].tolist()
        return vector


def _with(document: Document, more: Json) -> Document:
    return Document(id=document.id, page_content=document.page_content, metadata={**document.metadata, **more})
