"""What an agent sees of a store: `search`, and every document as a resource."""

from __future__ import annotations

from functools import partial
from typing import Annotated
from urllib.parse import quote

from anyio.to_thread import run_sync
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from pydantic import BaseModel, Field

from coverset.decoders import Decoder
from coverset.plain import Json
from coverset.retriever import Retriever

TEMPLATE = "coverset://documents/{id}"


class FoundDocument(BaseModel):
    """A document that is part of the answer."""

    id: str
    uri: str = Field(description="The document as a resource.")
    text: str
    weight: float = Field(description="How much of the query this document explains; 0: it only fills up to k.")
    meta: Json


class FoundDocuments(BaseModel):
    """The answer to a query: a set, best first."""

    documents: list[FoundDocument]


class Library:
    """A store, for agents; `decoder` is another rule than the store's own."""

    def __init__(self, retriever: Retriever, decoder: Decoder | None = None) -> None:
        self._retriever, self._decoder = retriever, decoder

    @property
    def name(self) -> str:
        """What to call the store: the name of its folder."""
        return self._retriever.folder.resolve().name

    async def search(
        self,
        query: Annotated[str, Field(description="What is to be known, in plain words, with all of its parts.")],
        k: Annotated[int, Field(description="How many documents to return at most.", ge=1, le=100)] = 5,
        where: Annotated[
            Json | None,
            Field(description='Only documents with this metadata, as {"lang": "en", "year": [2024, 2025]}.'),
        ] = None,
    ) -> FoundDocuments:
        """Find the documents that together cover a query.

        Ask for everything in one query. The answer is a set whose documents complement each other, without
        repeats.
        """
        search = partial(self._retriever.search, query, k, where=where, decoder=self._decoder)
        try:
            found = await run_sync(search)
        except ValueError as error:
            raise ToolError(str(error)) from error
        return FoundDocuments(
            documents=[
                FoundDocument(id=hit.id, uri=uri(hit.id), text=hit.text, weight=hit.weight, meta=hit.meta)
                for hit in found
            ]
        )

    async def read(self, id: str) -> str:  # noqa: A002 (the name in the template)
        """Return the text of a document of the store."""
        found = await run_sync(self._retriever.get, [id])
        if not found:
            raise ResourceNotFoundError(f"there is no document {id!r}")
        return found[0].text


def uri(identifier: str) -> str:
    """Return the address of a document, whatever its id looks like."""
    return TEMPLATE.replace("{id}", quote(identifier, safe=""))
