"""`coverset.Client` and `AsyncClient` do over HTTP what a Retriever does, against a real service."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coverset import NNN, AsyncClient, Client, Dense, Retriever
from coverset.store import Document, DocumentError
from tests.server.conftest import Server

QUERY = "take the sine of an angle in degrees and round the result to two decimals"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("client") / "s.cover"
    Retriever.open(folder).add([{"id": "a/b c#1", "text": "Sort an array.", "meta": {"n": 1}}])
    running = Server(folder, COVERSET_WRITE_KEYS="w" * 32, COVERSET_READ_KEYS="r" * 32).wait()
    yield running
    running.stop()


def essence(hits: Any) -> list[tuple[Any, ...]]:
    return [(hit.id, hit.text, hit.meta, pytest.approx(hit.weight, abs=1e-6)) for hit in hits]


@pytest.mark.parametrize("decoder", [None, Dense(), "dense", NNN(l1=0.05, l2=0.1)], ids=str)
def test_it_finds_what_the_retriever_finds(server: Server, tools: Path, decoder: Any) -> None:
    store = Retriever.open(tools)
    with Client(server.address) as client:
        found = client.search(QUERY, k=4, where={"module": "np"}, decoder=decoder)
        assert essence(found) == essence(store.search(QUERY, k=4, where={"module": "np"}, decoder=decoder))
        one, two = client.search_batch([QUERY, "invert a matrix"], k=2, decoder=decoder)
        assert [hit.id for hit in two] == [h.id for h in store.search("invert a matrix", k=2, decoder=decoder)]
        assert len(one) == 2
        assert len(client) == len(store)
        assert client.info()["encoder"] == store.encoder_name


def test_an_answer_says_what_stands_behind_it(server: Server, tools: Path) -> None:
    decoder = NNN(l1=0.05, l2=0.1)
    with Client(server.address) as client:
        reply = client.answer(QUERY, k=3, decoder=decoder, explain=True)
    expected = Retriever.open(tools).answer(QUERY, k=3, decoder=decoder, explain=True)
    assert (reply.certified, reply.passes) == (True, expected.passes)
    assert (reply.decoder, reply.version, reply.more) == (expected.decoder, expected.version, {})
    assert reply.covered == pytest.approx(expected.covered, abs=1e-5)
    assert [hit.adds for hit in reply.hits] == pytest.approx([hit.adds for hit in expected.hits], abs=1e-5)


def test_parts_share_and_documents_are_asked_for_as_of_a_retriever(served_library: Server, library: Path) -> None:
    store, steps = Retriever.open(library), ["take the sine", "round a number"]
    with Client(served_library.address) as client:
        reply, expected = client.answer(QUERY, k=4, parts=steps), store.answer(QUERY, k=4, parts=steps)
        assert essence(reply.hits) == essence(expected.hits)
        assert (reply.parts, reply.answered) == (expected.parts, expected.answered)
        assert reply.unknown_words == expected.unknown_words
        for parts in (None, "auto", [steps, None]):
            found = client.search_batch([QUERY, "sort"], k=3, parts=parts)
            assert [*map(essence, found)] == [*map(essence, store.search_batch([QUERY, "sort"], k=3, parts=parts))]
        meant = client.answer(QUERY, k=3, share=0.0)
        assert essence(meant.hits) == essence(store.search(QUERY, k=3, share=0.0))
        assert meant.share == 0.0
        assert essence(client.search(QUERY, k=3, per="document")) == essence(store.search(QUERY, k=3))
        with pytest.raises(ValueError, match="per"):
            client.search(QUERY, per="page")
        with pytest.raises(TypeError, match="shares"):
            client.search(QUERY, shares=0.0)  # type: ignore[call-arg]


def test_k_is_a_most_where_nothing_is_to_fill_up(served_library: Server, library: Path) -> None:
    store, query = Retriever.open(library), "invert a matrix"
    support = store.search(query, k=None)
    with Client(served_library.address) as client:
        assert essence(client.search(query, k=60, decoder=NNN(fill=False))) == essence(support)
        assert 0 < len(support) < len(client.search(query, k=60, decoder=NNN())) == 60
        assert [hit["weight"] > 0 for hit in asked(client, "search", query, k=60, fill=False)["hits"]] == [
            True
        ] * len(support)
        side = asked(client, "compare", query, k=20, l1=0.3, l2=0.3, fill=False)["answers"]["nnn"]["hits"]
        assert [hit["id"] for hit in side] == [
            hit.id for hit in store.search(query, k=20, decoder=NNN(l1=0.3, l2=0.3, fill=False))
        ]
        refused = client._http.post("/v1/search", json={"query": query, "decoder": "dense", "fill": False})
        assert (refused.status_code, "has no fill" in refused.text) == (422, True)


def asked(client: Client, path: str, query: str, **how: Any) -> Any:
    """Return what the service says to a request as it is written."""
    response = client._http.post(f"/v1/{path}", json={"query": query, **how})
    assert response.status_code == 200, response.text
    return response.json()


def test_kinds_are_told_apart_as_a_retriever_does(served_library: Server, library: Path) -> None:
    store, query = Retriever.open(library), QUERY
    with Client(served_library.address) as client:
        for distinct in (False, 0.7, "auto"):
            decoder = NNN(distinct=distinct)  # type: ignore[arg-type]
            found = client.answer(query, k=6, decoder=decoder, explain=True).hits
            expected = store.answer(query, k=6, decoder=decoder, explain=True).hits
            assert [(h.id, h.alike, h.words) for h in found] == [(h.id, h.alike, h.words) for h in expected]
            assert [[d.id for d in h.displaced] for h in found] == [[d.id for d in h.displaced] for h in expected]
            assert any(hit.alike for hit in found) == (distinct is not False)
        for side in ("search", "compare"):
            asked = {"query": query, "k": 6, "distinct": False}
            answer = client._http.post(f"/v1/{side}", json=asked).json()
            hits = answer["hits"] if side == "search" else answer["answers"]["nnn"]["hits"]
            assert [hit["alike"] for hit in hits] == [[]] * 6
            refused = client._http.post(f"/v1/{side}", json={"query": query, "distinct": 1.5})
            assert (refused.status_code, "distinct" in refused.text) == (422, True)


def test_it_writes_reads_and_deletes(served: Server) -> None:
    with Client(served.address, "w" * 32) as client:
        assert client.add([{"id": "new/one", "text": "Round a number."}, Document("two", "Sine.", {"n": 2})]) == 2
        assert client.get(["two", "nobody", "a/b c#1"]) == [
            Document("two", "Sine.", {"n": 2}),
            Document("a/b c#1", "Sort an array.", {"n": 1}),
        ]
        many = [{"id": f"m{n}", "text": f"number {n}"} for n in range(1100)]
        assert client.add(many) == 1100  # more than one request carries
        client.configure(Dense(), share=0.25)
        assert Retriever.open(served.store).decoder == Dense()
        client.configure(NNN(distinct=0.8, fill=False))
        assert Retriever.open(served.store).decoder == NNN(distinct=0.8, fill=False)
        assert client.info()["default"]["fill"] is False
        assert client.info()["default"]["distinct"] == 0.8
        assert Retriever.open(served.store).share == client.info()["default"]["share"] == 0.25
        assert client.delete([document["id"] for document in many] + ["nobody"]) == 1100
        assert client.delete([]) == client.add([]) == 0


def test_errors_are_those_of_a_retriever(served: Server, server: Server) -> None:
    with Client(served.address, "w" * 32) as client:
        with pytest.raises(ValueError, match=r"where\['n'\] has no operator '\$like'"):
            client.search("x", where={"n": {"$like": 1}})
        with pytest.raises(ValueError, match="k"):
            client.search("x", k=0)
        with pytest.raises(DocumentError, match=r"documents\[1\]: text must be a string"):
            client.add([{"id": "fine", "text": "fine"}, {"id": "bad"}])
        with pytest.raises(ValueError, match="decoder must not set center"):
            client.search("x", decoder=NNN(l1=0.1, l2=0.1, center=True))
        with pytest.raises(ValueError, match="queries must be a list"):
            client.search_batch("x")
        assert client.get(["fine"]) == []
    with Client(served.address, "r" * 32) as reader, pytest.raises(PermissionError):
        reader.add([{"id": "x", "text": "x"}])
    with Client(served.address, "wrong") as stranger, pytest.raises(PermissionError):
        stranger.search("x")
    with Client("http://127.0.0.1:9") as nobody, pytest.raises(ConnectionError, match="does not answer"):
        nobody.search("x")
    with pytest.raises(ValueError, match="url must begin with http"):
        Client("localhost:8000")


def test_the_asynchronous_client_does_the_same(served: Server, server: Server, tools: Path) -> None:
    async def work() -> None:
        async with AsyncClient(server.address) as client:
            found = await asyncio.gather(*(client.search(QUERY, k=3) for _ in range(8)))
            assert all(essence(hits) == essence(found[0]) for hits in found)
            assert essence(found[0]) == essence(Retriever.open(tools).search(QUERY, k=3))
            assert len(await client.search_batch([QUERY, "sort"])) == 2
            assert (await client.answer(QUERY)).passes >= 1
            assert (await client.info())["documents"] == len(Retriever.open(tools))
        async with AsyncClient(served.address, "w" * 32) as client:
            assert await client.add([{"id": "later", "text": "Read a file."}]) == 1
            assert [document.id for document in await client.get(["later", "nobody"])] == ["later"]
            await client.configure(NNN())
            assert await client.delete(["later"]) == 1
        async with AsyncClient("http://127.0.0.1:9") as nobody:
            with pytest.raises(ConnectionError):
                await nobody.search("x")

    asyncio.run(work())


def test_a_body_that_is_not_sent_as_json_says_how_to_send_it(server: Server) -> None:
    with server.client() as client:
        response = client.post("/v1/search", data={"query": "x"})
    assert response.status_code == 422
    assert "curl -H 'Content-Type: application/json' -d" in response.json()["error"]["message"]
