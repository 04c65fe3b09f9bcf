"""A Retriever keeps documents in a folder and finds the set that covers a query."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from coverset import MMR, NNN, Client, Dense, Hit, MemoryIndex, Retriever
from coverset.encoders.precomputed import Precomputed
from coverset.store import Document, EncoderMismatchError
from tests.store.words import Words

ANIMALS = {
    "a": "red fox runs",
    "b": "red fox walks",
    "c": "blue whale swims",
    "d": "green frog jumps",
    "e": "red whale runs",
}


@pytest.fixture
def animals(tmp_path: Path) -> Retriever:
    store = Retriever.open(tmp_path / "animals.cover", encoder=Words(), words=None)
    store.add(
        {"id": i, "text": text, "meta": {"colour": text.split()[0], "words": text.split(), "n": n}}
        for n, (i, text) in enumerate(ANIMALS.items())
    )
    return store


def nested(depth: int) -> dict[str, Any]:
    """Return a dict with a list with a dict in it, so many in all."""
    return {} if depth == 1 else {"a": [nested(depth - 2)] if depth > 2 else []}


def endless() -> list[Any]:
    """Return a list that is in itself."""
    inside: list[Any] = []
    inside.append(inside)
    return inside


def reopened(store: Retriever) -> Retriever:
    return Retriever.open(store.folder, encoder=Words())


def test_what_was_added_is_there_when_the_store_is_opened_again(animals: Retriever) -> None:
    again = reopened(animals)
    assert len(again) == 5
    assert again.ids() == list("abcde")
    assert again.get(["e", "missing", "a"]) == [
        Document("e", "red whale runs", {"colour": "red", "words": ["red", "whale", "runs"], "n": 4}),
        Document("a", "red fox runs", {"colour": "red", "words": ["red", "fox", "runs"], "n": 0}),
    ]
    assert {document.id: document.text for document in again} == ANIMALS
    assert "c" in again
    assert "z" not in again


def test_metadata_comes_back_as_json_has_it(animals: Retriever) -> None:
    meta = {**nested(64), "b": {1: "one", None: [True, 1.5, None], "two": {}}}
    animals.add([{"id": "x", "text": "red", "meta": meta}])
    assert reopened(animals).get(["x"])[0].meta == json.loads(json.dumps(meta))


@pytest.mark.parametrize("decoder", [NNN(l1=0.05, l2=0.1), Dense(), MMR(relevance=0.5)])
def test_search_is_the_decoder_over_the_vectors(animals: Retriever, decoder: Any) -> None:
    query = "red fox swims"
    corpus = Words().encode(list(ANIMALS.values()))
    expected = decoder.decode(Words().encode([query])[0], corpus, k=3)
    hits = reopened(animals).search(query, k=3, decoder=decoder)
    assert [hit.id for hit in hits] == [list(ANIMALS)[i] for i in expected.ids]
    assert [hit.weight for hit in hits] == pytest.approx(expected.weights.tolist(), abs=1e-6)
    assert all(isinstance(hit, Hit) and hit.text == ANIMALS[hit.id] for hit in hits)
    assert hits == animals.search(Words().encode([query])[0], k=3, decoder=decoder)
    assert [hits] * 2 == animals.search_batch([query, query], k=3, decoder=decoder)


def test_a_decoder_may_be_given_by_its_name(animals: Retriever) -> None:
    animals.configure(NNN(l1=0.02, l2=0.3))
    query = "black cat sleeps"
    assert animals.search(query, decoder="dense") == animals.search(query, decoder=Dense())
    assert animals.search(query, decoder="nnn") == animals.search(query)  # the store's own, as it is there
    for wrong in ("densest", Dense, 5):
        with pytest.raises(ValueError, match=r"decoder must be .*'nnn', 'dense', 'mmr', 'rrf', got"):
            animals.search(query, decoder=wrong)  # type: ignore[arg-type]
    animals.configure("dense")
    assert reopened(animals).decoder == Dense()


def test_a_store_an_index_and_a_client_say_what_they_are(animals: Retriever) -> None:
    other = reopened(animals)
    assert repr(other) == f"<Retriever {str(animals.folder)!r}>"
    count = len(other)
    assert repr(other) == f"<Retriever {str(animals.folder)!r}, {count} documents>"
    assert repr(MemoryIndex(np.eye(3, 4))) == "<MemoryIndex 3 documents, meaning 4 wide>"
    assert repr(Client("http://127.0.0.1:1", key="secret")) == "<Client 'http://127.0.0.1:1'>"


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,text\n")
    with pytest.raises(ValueError, match=r"a store is a folder, and .*t\.csv is a file"):
        Retriever.open(tmp_path / "t.csv")


def test_add_replaces_and_delete_removes(animals: Retriever) -> None:
    other = reopened(animals)
    assert len(other) == 5
    assert animals.add([{"id": "a", "text": "black cat sleeps"}, {"id": "f", "text": "white dog barks"}]) == 2
    assert animals.delete(["c", "c", "nobody"]) == 1
    assert other.ids() == list("abdef")
    assert other.get(["a"]) == [Document("a", "black cat sleeps", {})]
    assert other.search("black cat sleeps", k=1, decoder=Dense())[0].id == "a"
    assert "c" not in {hit.id for hit in other.search("blue whale swims", k=5)}


def test_writing_what_is_already_there_makes_no_version(animals: Retriever) -> None:
    before = animals.snapshot().version
    assert animals.add([Document("b", "red fox walks", animals.get(["b"])[0].meta)]) == 0
    assert animals.delete(["nobody"]) == animals.delete([]) == animals.add([]) == 0
    assert animals.snapshot().version == before


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"colour": "red"}, "abe"),
        ({"colour": ["blue", "green"]}, "cd"),
        ({"colour": "red", "words": "runs"}, "ae"),
        ({"n": 2}, "c"),
        ({"n": 2.0}, "c"),
        ({"n": [0, True]}, "a"),
        ({"n": "2"}, ""),
        ({"colour": None}, ""),
        ({"no such key": None}, "abcde"),
        ({"no such key": 1}, ""),
        ({"colour": "red' OR '1'='1"}, ""),
        ({"colour') OR (1=1": "red"}, ""),
    ],
)
def test_where_keeps_the_documents_that_match(animals: Retriever, where: Any, expected: str) -> None:
    found = animals.search("red fox runs", k=9, where=where, decoder=Dense())
    assert sorted(hit.id for hit in found) == list(expected)
    assert animals.snapshot().where(where).ids == list(expected)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("colour = 'red'", "where must be a dict"),
        ({1: "red"}, "where must have strings as keys, of at least one character, got 1"),
        ({"colour": {"$like": "red"}}, r"where\['colour'\] has no operator '\$like'; there are \$eq, \$ne"),
        ({"n": float("nan")}, "finite number"),
        ({"n": [1, [2]]}, "a list of these"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(animals: Retriever, where: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        animals.search("red", where=where)


def test_the_decoder_is_kept_with_the_store(animals: Retriever) -> None:
    assert animals.decoder == NNN()
    for decoder in (NNN(l1=0.02, l2=0.3, fill=False), MMR(relevance=0.4), Dense()):
        animals.configure(decoder)
        assert reopened(animals).decoder == animals.decoder == decoder
    assert animals.search("red fox") == animals.search("red fox", decoder=Dense())
    with pytest.raises(ValueError, match="decoder must be a decoder, as NNN"):
        animals.configure(Dense)  # type: ignore[arg-type]


def documents() -> Iterator[Any]:
    yield {"id": "ok", "text": "fine"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"id": "x"}, r"documents\[1\]: text must be a string, got None"),
        ({"id": "x", "text": " "}, "text must not be empty"),
        ({"id": "", "text": "t"}, "id must be a string of at least one character, got ''"),
        ({"id": 7, "text": "t"}, "id must be a string of at least one character, got 7"),
        ({"id": "x", "text": "t", "metadata": {}}, "unknown key 'metadata'; accepted: id, text, meta, vector"),
        ({"id": "x", "text": "t", "meta": {"a": float("nan")}}, "meta must be what JSON can hold"),
        ({"id": "x", "text": "t", "meta": {"a": {1, 2}}}, "meta must be what JSON can hold"),
        ({"id": "x", "text": "t", "meta": [1]}, "meta must be a dict"),
        ({"id": "x", "text": "t", "meta": nested(65)}, "meta must be nested at most 64 deep"),
        ({"id": "x", "text": "t", "meta": {"a": endless()}}, "meta must be nested at most 64 deep"),
        (
            {"id": "x", "text": "t", "meta": {"a": {1: 2, "1": 3}}},
            "1 and '1', which are the same in JSON",
        ),
        ({"id": "x", "text": "t", "meta": {"a": [{"true": 2, True: 3}]}}, "the keys 'true' and True"),
        ({"id": "x", "text": "t", "meta": {"a": {None: 2, "null": 3}}}, "the keys None and 'null'"),
        ({"id": "x", "text": "\ud800"}, "text must be text that UTF-8 can write"),
        ({"id": "x", "text": "t", "vector": [1.0]}, r"vector must have shape \(16,\)"),
        ({"id": "x", "text": "t", "vector": [0.0] * 16}, "finite and not all zero"),
        ({"id": "x", "text": "t", "vector": [float("inf")] * 16}, "finite and not all zero"),
        ({"id": "x", "text": "t", "vector": ["a"] * 16}, "array of real numbers"),
        ({"id": "ok", "text": "again"}, r"the id 'ok' occurs before, in documents\[0\]"),
        ("text", r"documents\[1\]: a document must be a dict"),
    ],
)
def test_a_wrong_document_is_named_and_nothing_is_written(animals: Retriever, wrong: Any, message: str) -> None:
    before = animals.snapshot().version
    with pytest.raises(ValueError, match=message):
        animals.add([*documents(), wrong])
    assert animals.snapshot().version == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.search(" "), "query must not be empty"),
        (lambda s: s.search("x", k=0), "k must be a whole number"),
        (lambda s: s.search([1.0, 2.0]), r"query must have shape \(16,\)"),
        (lambda s: s.search_batch("x"), "queries must be a list"),
        (lambda s: s.delete("a"), "ids must be an iterable of strings"),
        (lambda s: s.delete([1]), "id must be a string of at least one character, got 1"),
        (lambda s: s.add({"id": "a", "text": "t"}), "documents must be an iterable of documents"),
    ],
)
def test_bad_arguments_are_named(animals: Retriever, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(animals)


def test_an_empty_store_answers_with_nothing(tmp_path: Path) -> None:
    store = Retriever.open(tmp_path / "empty.cover", encoder=Words(), words=None)
    assert len(store) == 0
    assert store.search("anything") == []
    assert store.search_batch(["a", "b"], where={"x": 1}) == [[], []]
    assert list(store) == store.ids() == store.get(["a"]) == []


def test_strange_ids_are_ids_like_others(animals: Retriever) -> None:
    strange = [
        "it's",
        "'; DROP TABLE documents; --",
        "../../etc/passwd",
        "a\nb",
        "\u202e",
        "\U0001d518",
        '"',
        "%",
        "\\",
        " ",
    ]
    animals.add({"id": i, "text": "strange"} for i in strange)
    assert set(strange) < set(animals.ids())
    for identifier in strange:
        assert animals.delete([identifier]) == 1
        assert identifier not in animals
    assert animals.ids() == list("abcde")


@pytest.mark.parametrize(("share", "few", "batch"), [(0.0, 999, 99), (0.5, 2, 99), (0.5, 999, 3), (0.0, 2, 3)])
def test_answers_do_not_depend_on_how_a_version_is_read(
    animals: Retriever, monkeypatch: pytest.MonkeyPatch, share: float, few: int, batch: int
) -> None:
    """In memory or in a file, changes one by one or everything anew, in one batch or several."""
    monkeypatch.setattr("coverset.store.version.MOST", share)
    monkeypatch.setattr("coverset.store.version.FEW", few)
    monkeypatch.setattr("coverset.store.version.BATCH", batch)
    reader = reopened(animals)
    rng, texts = random.Random(0), dict(ANIMALS)
    for n in range(8):
        new = {rng.choice("abcdefghij"): f"number{n} word{i}" for i in range(rng.randint(1, 6))}
        gone = rng.sample("abcdefghij", 2)
        animals.add({"id": i, "text": text} for i, text in new.items())
        animals.delete(gone)
        texts = {i: text for i, text in {**texts, **new}.items() if i not in gone}
        assert {document.id: document.text for document in reader} == texts
        ids = sorted(texts)
        expected = Words().encode([texts[i] for i in ids])
        np.testing.assert_allclose(reader.snapshot().contents.vectors, expected, atol=1e-6)
        assert reader.ids() == ids
        nearest = expected @ Words().encode(["number3 word1"])[0]
        hits = reader.search("number3 word1", k=3, decoder=Dense())
        assert [hit.weight for hit in hits] == pytest.approx(np.sort(nearest)[::-1][:3].tolist(), abs=1e-5)


def test_another_encoder_is_refused_and_named(animals: Retriever) -> None:
    class Retrained(Words):
        fingerprint = "words-2"

    class Wider(Words):
        dim = 17

    made = r"animals\.cover was made with the encoder 'words' \(16 dimensions, fingerprint words-1\)"
    with pytest.raises(EncoderMismatchError, match=made + ".* 'words' \\(16 dimensions, fingerprint words-2"):
        Retriever.open(animals.folder, encoder=Retrained())
    with pytest.raises(EncoderMismatchError, match=made + ".* 'words' \\(17 dimensions, fingerprint words-1"):
        Retriever.open(animals.folder, encoder=Wider())
    with pytest.raises(EncoderMismatchError, match=made + ".* 'all-MiniLM-L6-v2' \\(384 dimensions"):
        Retriever.open(animals.folder, encoder="all-MiniLM-L6-v2")
    unnamed = Retriever.open(animals.folder)
    assert len(unnamed) == 5
    with pytest.raises(ValueError, match="cannot be loaded by its name: pass it"):
        unnamed.search("red")


@pytest.mark.parametrize(
    ("given", "told"),
    [(len, "a function without name, dim, .*FunctionEncoder makes one"), (object(), "a object without name")],
)
def test_what_is_no_encoder_is_said_before_anything_is_made(tmp_path: Path, given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=f"encoder must be a name, or an object with name, .*{told}"):
        Retriever.open(tmp_path / "new", encoder=given)
    assert not (tmp_path / "new").exists()
    Retriever.open(tmp_path / "old", encoder=Words())
    with pytest.raises(ValueError, match="encoder must be a name"):
        Retriever.open(tmp_path / "old", encoder=given)


def test_an_encoder_out_of_a_folder_is_found_again(tmp_path: Path) -> None:
    trained = tmp_path / "deep" / "trained"
    trained.mkdir(parents=True)
    (trained / "coverset.json").write_text('{"kind": "adapted", "base": "all-MiniLM-L6-v2"}')
    rng = np.random.default_rng(0)
    shapes = {"first.weight": (4, 384), "first.bias": 4, "second.weight": (384, 4), "second.bias": 384}
    for side in ("query", "document"):
        tensors = {name: rng.standard_normal(shape).astype(np.float32) / 20 for name, shape in shapes.items()}
        save_file({**tensors, "mix": np.array(-3, np.float32)}, trained / f"{side}.safetensors")
    store = Retriever.open(tmp_path / "s.cover", encoder=str(trained))
    store.add([{"id": "a", "text": "sort an array"}, {"id": "b", "text": "sine"}])
    again = Retriever.open(tmp_path / "s.cover")
    assert again.search("sort", k=1)[0].id == "a"
    assert again.encoder_name == "trained"
    assert Retriever.open(tmp_path / "s.cover", encoder=str(trained)).ids() == ["a", "b"]
    trained.rename(tmp_path / "moved")
    with pytest.raises(ValueError, match="which cannot be loaded by its name: pass it"):
        Retriever.open(tmp_path / "s.cover").search("sort")


def test_vectors_made_elsewhere_need_no_encoder(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((20, 8))
    store = Retriever.open(tmp_path / "v.cover", encoder=Precomputed(8, name="someone's model"))
    store.add({"id": str(n), "text": "", "vector": vector} for n, vector in enumerate(vectors))
    again = Retriever.open(tmp_path / "v.cover")
    query = rng.standard_normal(8)
    cosines = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
    hits = again.search(query, k=4, decoder=Dense())
    assert [int(hit.id) for hit in hits] == np.argsort(-cosines)[:4].tolist()
    assert [hit.weight for hit in hits] == pytest.approx(np.sort(cosines)[::-1][:4], abs=1e-6)
    with pytest.raises(ValueError, match="give each document its 'vector'"):
        again.add([{"id": "x", "text": "no vector"}])
    with pytest.raises(ValueError, match="search with a vector"):
        again.search("text")


def test_a_missing_store_is_made_only_when_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no store at"):
        Retriever.open(tmp_path / "none.cover", create=False)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="folder must be a store, empty or missing"):
        Retriever.open(tmp_path, encoder=Words())
    with pytest.raises(TypeError):
        Retriever.open(tmp_path / "x.cover", encodr="words")  # type: ignore[call-arg]
