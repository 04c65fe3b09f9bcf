"""The two clients: one that waits for its answers, and one for programs that do other things meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from coverset.answer import Hit
from coverset.client import calls
from coverset.client.calls import Call, How, Reply
from coverset.decoders import Decoder
from coverset.extras import require
from coverset.plain import Fields, Foreign, Json
from coverset.store.documents import Document
from coverset.store.queries import Parts, PartsOfEach, of_each

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
Documents = Iterable[Fields | Document]


def _settings(url: str, key: str | None, timeout: float) -> Json:
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        raise ValueError(f"url must begin with http:// or https://, got {url!r}")
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return {"base_url": url.rstrip("/"), "headers": headers, "timeout": timeout}


def _read(call: Call[T], response: Foreign) -> T:
    """Read an answer, or raise what a Retriever would have raised."""
    said = response.json() if "json" in response.headers.get("content-type", "") else None
    if response.status_code == 404 and call.missing:
        return None  # type: ignore[return-value]
    if response.status_code != 200:
        raise calls.refused(response.status_code, said)
    return call.read(said)


class Client:
    """A store behind `coverset serve`, searched and written as a `Retriever` is.

        tools = Client("http://127.0.0.1:8000", key="...")
        tools.search("sort, then drop duplicates", k=5, where={"lang": "py"})

    What the service refuses is a ValueError, a key that it does not take a PermissionError, too many requests or a
    store that is being written a BusyStoreError, and no service at all a ConnectionError.

    Parameters
    ----------
    url
        Where the service is.
    key
        An API key; only services on other machines ask for one.
    timeout
        Seconds to wait for an answer.
    """

    def __init__(self, url: str, key: str | None = None, *, timeout: float = 60.0) -> None:
        self._httpx = require("httpx", "client")
        self._http = self._httpx.Client(**_settings(url, key, timeout))

    def __repr__(self) -> str:
        """Say where the service is."""
        return f"<Client {str(self._http.base_url)!r}>"

    def search(self, query: str, k: int = 5, *, parts: Parts = "auto", **how: Unpack[How]) -> list[Hit]:
        """Return the documents that together cover a query, best first."""
        return self.answer(query, k, parts=parts, **how).hits

    def search_batch(
        self, queries: Sequence[str], k: int = 5, *, parts: PartsOfEach = "auto", **how: Unpack[How]
    ) -> list[list[Hit]]:
        """Search for several queries at once, all in the same version."""
        return [reply.hits for reply in self.answer_batch(queries, k, parts=parts, **how)]

    def answer(self, query: str, k: int = 5, *, parts: Parts = "auto", **how: Unpack[How]) -> Reply:
        """Return the documents that together cover a query, and what stands behind them."""
        return self.answer_batch([query], k, parts=of_each(parts), **how)[0]

    def answer_batch(
        self, queries: Sequence[str], k: int = 5, *, parts: PartsOfEach = "auto", **how: Unpack[How]
    ) -> list[Reply]:
        """Answer several queries at once, all from the same version."""
        return self._send(calls.ask(queries, k, parts, **how))

    def add(self, documents: Documents) -> int:
        """Add documents, or replace those whose id is there; return how many were new or changed."""
        return sum(self._send(call) for call in calls.add(documents))

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; return how many of these ids were there."""
        return sum(self._send(call) for call in calls.delete(ids))

    def get(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents of those ids that are there, in the order asked for."""
        found = (self._send(call) for call in calls.get(ids))
        return [document for document in found if document is not None]

    def configure(self, decoder: Decoder | str, *, share: float | None = None) -> None:
        """Make a decoder, and a share of words if one is given, the store's own, for everyone who searches it."""
        self._send(calls.configure(decoder, share))

    def info(self) -> Json:
        """Say what is being served: `documents`, `encoder`, `dim`, `version`, `default`."""
        return self._send(calls.store())

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self.info()["documents"])

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        """Return the client, to be closed when the block is left."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the connections."""
        self.close()

    def _send(self, call: Call[T]) -> T:
        try:
            response = self._http.request(call.method, call.path, json=call.body)
        except self._httpx.TransportError as error:
            raise ConnectionError(f"{self._http.base_url} does not answer: {error}") from error
        return _read(call, response)


class AsyncClient:
    """The same as `Client`, for programs with an event loop: every method is awaited."""

    def __init__(self, url: str, key: str | None = None, *, timeout: float = 60.0) -> None:
        self._httpx = require("httpx", "client")
        self._http = self._httpx.AsyncClient(**_settings(url, key, timeout))

    def __repr__(self) -> str:
        """Say where the service is."""
        return f"<AsyncClient {str(self._http.base_url)!r}>"

    async def search(self, query: str, k: int = 5, *, parts: Parts = "auto", **how: Unpack[How]) -> list[Hit]:
        """Return the documents that together cover a query, best first."""
        return (await self.answer(query, k, parts=parts, **how)).hits

    async def search_batch(
        self, queries: Sequence[str], k: int = 5, *, parts: PartsOfEach = "auto", **how: Unpack[How]
    ) -> list[list[Hit]]:
        """Search for several queries at once, all in the same version."""
        return [reply.hits for reply in await self.answer_batch(queries, k, parts=parts, **how)]

    async def answer(self, query: str, k: int = 5, *, parts: Parts = "auto", **how: Unpack[How]) -> Reply:
        """Return the documents that together cover a query, and what stands behind them."""
        return (await self.answer_batch([query], k, parts=of_each(parts), **how))[0]

    async def answer_batch(
        self, queries: Sequence[str], k: int = 5, *, parts: PartsOfEach = "auto", **how: Unpack[How]
    ) -> list[Reply]:
        """Answer several queries at once, all from the same version."""
        return await self._send(calls.ask(queries, k, parts, **how))

    async def add(self, documents: Documents) -> int:
        """Add documents, or replace those whose id is there; return how many were new or changed."""
        return sum([await self._send(call) for call in calls.add(documents)])

    async def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; return how many of these ids were there."""
        return sum([await self._send(call) for call in calls.delete(ids)])

    async def get(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents of those ids that are there, in the order asked for."""
        found = [await self._send(call) for call in calls.get(ids)]
        return [document for document in found if document is not None]

    async def configure(self, decoder: Decoder | str, *, share: float | None = None) -> None:
        """Make a decoder, and a share of words if one is given, the store's own, for everyone who searches it."""
        await self._send(calls.configure(decoder, share))

    async def info(self) -> Json:
        """Say what is being served: `documents`, `encoder`, `dim`, `version`, `default`."""
        return await self._send(calls.store())

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        """Return the client, to be closed when the block is left."""
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close the connections."""
        await self.close()

    async def _send(self, call: Call[T]) -> T:
        try:
            response = await self._http.request(call.method, call.path, json=call.body)
        except self._httpx.TransportError as error:
            raise ConnectionError(f"{self._http.base_url} does not answer: {error}") from error
        return _read(call, response)
