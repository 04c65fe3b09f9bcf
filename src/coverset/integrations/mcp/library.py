"""What an agent sees of a store: `search`, and every document as a resource."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from anyio.to_thread import run_sync
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from pydantic import BaseModel, Field

from coverset.answer import Answer
from coverset.decoders import Decoder
from coverset.integrations.shelf import as_steps
from coverset.plain import Json
from coverset.retriever import Retriever

TEMPLATE = "coverset://documents/{id}"


class FoundDocument(BaseModel):
    """A document that is part of the answer."""

    id: str
    uri: str = Field(description="The document as a resource.")
    text: str
    score: float = Field(description="What it explains by itself of the part that it serves, from 0 to 1.")
    weight: float = Field(description="How much of the query this document explains; 0: it only fills up to k.")
    part: str | None = Field(description="The step, or part of the query, that it serves; null: the whole.")
    meta: Json


class FoundDocuments(BaseModel):
    """The answer to a query: a set, best first."""

    documents: list[FoundDocument]
    answered: bool = Field(
        description="False: nothing here seems to answer the query; the document is the nearest."
    )
    steps: dict[str, list[str]] = Field(description="The ids that serve each step, or part of the query.")
    unserved: list[str] = Field(description="Those that no document serves.")


class Library:
    """A store, for agents.

    Parameters
    ----------
    retriever
        The store.
    decoder, share
        Another rule, and another share of words in scores, than the store's own.
    parts
        Take queries without steps apart.
    """

    def __init__(
        self,
        retriever: Retriever,
        decoder: Decoder | None = None,
        *,
        share: float | None = None,
        parts: bool = True,
    ) -> None:
        self._retriever, self._decoder, self._share = retriever, decoder, share
        self._untold: Literal["auto"] | None = "auto" if parts else None

    @property
    def name(self) -> str:
        """What to call the store: the name of its folder."""
        return self._retriever.folder.resolve().name

    async def search(
        self,
        query: Annotated[str, Field(description="What is to be known, in plain words, with all of its parts.")],
        steps: Annotated[
            list[str] | None,
            Field(description="What the query is made of, if you know: a text for each thing.", max_length=16),
        ] = None,
        k: Annotated[
            int, Field(description="How many documents to return at most; at least one a step.", ge=1, le=100)
        ] = 5,
        where: Annotated[
            Json | None,
            Field(description='Only documents with this metadata, as {"lang": "en", "year": [2024, 2025]}.'),
        ] = None,
    ) -> FoundDocuments:
        """Find the documents that together cover a query.

        Ask for everything in one query. The answer is a set whose documents complement each other, without
        repeats; it says which document serves which step, and which step none serves.
        """

        def answer() -> Answer:
            plan = as_steps(steps or ())
            return self._retriever.answer(
                query,
                max(k, len(plan)),
                where=where,
                decoder=self._decoder,
                parts=plan or self._untold,
                share=self._share,
            )

        try:
            return found(await run_sync(answer))
        except ValueError as error:
            raise ToolError(str(error)) from error

    async def read(self, id: str) -> str:  # noqa: A002 (the name in the template)
        """Return the text of a document of the store."""
        found = await run_sync(self._retriever.get, [id])
        if not found:
            raise ResourceNotFoundError(f"there is no document {id!r}")
        return found[0].text


def found(answer: Answer) -> FoundDocuments:
    """Say what was found, as `find_tools` says it of tools."""
    return FoundDocuments(
        documents=[
            FoundDocument(
                id=hit.id,
                uri=uri(hit.id),
                text=hit.text,
                score=hit.score,
                weight=hit.weight,
                part=hit.part,
                meta=hit.meta,
            )
            for hit in answer.hits
        ],
        answered=answer.answered,
        steps={part.text: list(part.served_by) for part in answer.parts},
        unserved=answer.unserved,
    )


def uri(identifier: str) -> str:
    """Return the address of a document, whatever its id looks like."""
    return TEMPLATE.replace("{id}", quote(identifier, safe=""))
