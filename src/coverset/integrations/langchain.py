"""Coverset in LangChain: retrievers and a document compressor that return a set instead of the nearest.

from coverset.integrations.langchain import CoversetRetriever, JointRetriever

CoversetRetriever(store=Retriever.open("handbook.cover"), k=5)     # a store of Coverset's own
JointRetriever(vectorstore=vectorstore, k=5, fetch_k=50)           # any vector store of LangChain
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from coverset.extras import require
from coverset.plain import Json

require("langchain_core", "langchain", run=False)

from langchain_core.callbacks import CallbackManagerForRetrieverRun, Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import BeforeValidator, ConfigDict, Field

from coverset.decoders import NNN, Decoder
from coverset.encoders.encoder import Encoder
from coverset.integrations.candidates import choose
from coverset.retriever import Retriever, as_retriever

# Where a document's metadata say how much of the query it explains.
WEIGHT = "coverset_weight"
STRICT = ConfigDict(arbitrary_types_allowed=True, extra="forbid")


class CoversetRetriever(BaseRetriever):
    """Documents of a store that together cover a query.

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
    """

    model_config = STRICT
    store: Annotated[Retriever, BeforeValidator(as_retriever)]
    k: int = Field(default=5, ge=1)
    where: Json | None = None
    decoder: Decoder | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        hits = self.store.search(query, self.k, where=self.where, decoder=self.decoder)
        return [Document(id=h.id, page_content=h.text, metadata={**h.meta, WEIGHT: h.weight}) for h in hits]


class CoversetCompressor(BaseDocumentCompressor):
    """Those of the documents handed in that together cover the query, for use after any retriever.

    Parameters
    ----------
    embeddings
        Makes vectors of documents and query.
    k
        How many documents to keep.
    decoder
        The rule that picks.
    """

    model_config = STRICT
    embeddings: Embeddings
    k: int = Field(default=5, ge=1)
    decoder: Decoder = Field(default_factory=NNN)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return the documents that together cover the query, best first."""
        if not documents:
            return []
        vectors = self.embeddings.embed_documents([document.page_content for document in documents])
        chosen = choose(self.decoder, self.embeddings.embed_query(query), vectors, self.k)
        return [_weighted(documents[position], weight) for position, weight in chosen]


class JointRetriever(BaseRetriever):
    """Documents of any LangChain vector store that together cover a query, chosen among the nearest.

    Vector stores do not return vectors, so the candidates are embedded once more, by the store's own embeddings.

    Parameters
    ----------
    vectorstore
        Where the candidates come from.
    k
        How many documents.
    fetch_k
        How many candidates.
    decoder
        The rule that picks.
    search_kwargs
        Further arguments of the store's `similarity_search`, as a filter.
    """

    model_config = STRICT
    vectorstore: VectorStore
    k: int = Field(default=5, ge=1)
    fetch_k: int = Field(default=50, ge=1)
    decoder: Decoder = Field(default_factory=NNN)
    search_kwargs: Json = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        embeddings = self.vectorstore.embeddings
        if embeddings is None:
            raise ValueError(
                f"vectorstore must know its embeddings, and {type(self.vectorstore).__name__} does not"
            )
        found = self.vectorstore.similarity_search(query, k=max(self.fetch_k, self.k), **self.search_kwargs)
        compressor = CoversetCompressor(embeddings=embeddings, k=self.k, decoder=self.decoder)
        return compressor.compress_documents(found, query)


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


def _weighted(document: Document, weight: float) -> Document:
    return Document(
        id=document.id, page_content=document.page_content, metadata={**document.metadata, WEIGHT: weight}
    )
