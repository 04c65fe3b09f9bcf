"""Stores keep words beside meaning: weights follow the documents, and stores without words are brought over."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from typer.testing import CliRunner

from coverset import NNN, Dense, Retriever
from coverset.arrays import Floats
from coverset.commands import app
from coverset.encoders.function import FunctionEncoder
from coverset.encoders.precomputed import Precomputed
from coverset.encoders.vocabulary import Vocabulary
from coverset.encoders.words import Analyser
from coverset.store import Snapshot
from coverset.vectors import Vectors

FIRST = Path(__file__).parent / "first" / "first.cover"
DOCUMENTS = {
    "sort": "Return a sorted copy of an array.",
    "unique": "Find the unique elements of an array.",
    "mean": "Compute the arithmetic mean of numbers.",
    "round": "Round numbers to the given number of decimals.",
    "csv": "Write an array to a CSV file.",
}


def letters(texts: Sequence[str]) -> Floats:
    """A meaning of a kind: how often each letter occurs, at length 1."""
    rows = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)
    rows[:, 0] += 0.1
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def store(folder: Path, words: str | None = "auto") -> Retriever:
    return Retriever.open(folder, FunctionEncoder(letters, name="letters", dim=26), words=words)


def as_documents(texts: dict[str, str]) -> list[dict[str, str]]:
    return [{"id": i, "text": text} for i, text in texts.items()]


def assert_same_words(ours: Snapshot, theirs: Snapshot) -> None:
    """Bit for bit."""
    assert ours.ids == theirs.ids
    assert ours.vocabulary is not None
    assert theirs.vocabulary is not None
    assert ours.vocabulary.terms.tolist() == theirs.vocabulary.terms.tolist()
    np.testing.assert_array_equal(ours.vocabulary.idf, theirs.vocabulary.idf)
    if ours.index is not None and theirs.index is not None:
        for name in ("starts", "terms", "values", "width"):
            one, other = (getattr(index.corpus.words, name) for index in (ours.index, theirs.index))
            np.testing.assert_array_equal(one, other)


def assert_scikit_learns(version: Snapshot, texts: dict[str, str]) -> None:
    analyser = Analyser()
    assert version.vocabulary is not None
    if version.index is None or not any(map(analyser.terms, texts.values())):
        assert len(version.vocabulary) == 0
        return
    theirs = TfidfVectorizer(analyzer=analyser.terms, sublinear_tf=True)
    expected = theirs.fit_transform([texts[i] for i in version.ids]).toarray()
    assert version.vocabulary.terms.tolist() == theirs.get_feature_names_out().tolist()
    ours = Vectors.made(np.empty((len(version), 0), np.float32), version.index.corpus.words, (1.0, 1.0)).flat()
    np.testing.assert_allclose(ours, expected, atol=1e-6)


def test_weights_after_upserts_and_deletes_are_those_of_a_store_built_anew(tmp_path: Path) -> None:
    grown = store(tmp_path / "grown.cover")
    grown.add(
        as_documents({**DOCUMENTS, "gone": "An array of arrays of arrays.", "mean": "Something else entirely."})
    )
    grown.delete(["gone"])
    grown.add(as_documents({"mean": DOCUMENTS["mean"]}))
    anew = store(tmp_path / "anew.cover")
    anew.add(as_documents(DOCUMENTS))
    assert_same_words(grown.snapshot(), anew.snapshot())


UPSERTS = st.dictionaries(st.sampled_from("abcdef"), st.text("xyzé本 .", min_size=1, max_size=12), max_size=4)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(UPSERTS, st.sets(st.sampled_from("abcdef"), max_size=3), st.booleans()), max_size=8))
def test_whoever_followed_step_by_step_sees_what_one_who_opens_sees(
    writes: list[tuple[dict[str, str], set[str], bool]],
) -> None:
    with TemporaryDirectory() as folder:
        path, texts = Path(folder) / "grown.cover", dict[str, str]()
        writer, reader, rare = store(path), store(path), store(path)
        for new, gone, looks in writes:
            new = {i: f"{text} {i}" for i, text in new.items()}
            writer.add(as_documents(new))
            writer.delete(gone)
            texts = {i: text for i, text in {**texts, **new}.items() if i not in gone}
            reader.snapshot()
            if looks:
                rare.snapshot()
        anew = store(Path(folder) / "anew.cover")
        anew.add(as_documents(texts))
        for each in (writer, reader, rare, store(path)):
            assert_same_words(each.snapshot(), anew.snapshot())
        assert_scikit_learns(anew.snapshot(), texts)


def test_all_words_are_weighed_once_a_version_and_by_whoever_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weighings: list[int] = []
    weighed = Vocabulary.weighed
    monkeypatch.setattr(
        Vocabulary, "weighed", lambda terms, counts: weighings.append(len(counts)) or weighed(terms, counts)
    )
    tools = store(tmp_path / "tools.cover")
    for identifier, text in DOCUMENTS.items():
        tools.add([{"id": identifier, "text": text}])
    assert [document.id for document in tools.get(["mean"])] == ["mean"]
    assert (len(tools), tools.words, tools.decoder, "csv" in tools) == (len(DOCUMENTS), "english", NNN(), True)
    assert weighings == []
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: tools.search("sorted array", k=1)[0].id, range(8)))
    assert set(found) == {"sort"}
    assert weighings == [len(DOCUMENTS)]


def test_two_readers_of_one_version_see_the_same_and_a_filter_does_not_change_weights(tmp_path: Path) -> None:
    writer = store(tmp_path / "s.cover")
    writer.add([{"id": i, "text": t, "meta": {"even": n % 2 == 0}} for n, (i, t) in enumerate(DOCUMENTS.items())])
    reader = store(tmp_path / "s.cover")
    for query in ("unique numbers", "write the mean to a file"):
        ours, theirs = (r.answer(query, parts=None, decoder=Dense()) for r in (writer, reader))
        assert [(h.id, h.score) for h in ours.hits] == [(h.id, h.score) for h in theirs.hits]
        some = writer.answer(query, parts=None, decoder=Dense(), where={"even": True})
        scores = {h.id: h.score for h in ours.hits}
        assert all(hit.score == pytest.approx(scores[hit.id]) for hit in some.hits)


def test_an_answer_says_which_words_it_covers_and_which_nobody_has(tmp_path: Path) -> None:
    tools = store(tmp_path / "s.cover")
    tools.add(as_documents(DOCUMENTS))
    answer = tools.answer("unique elements, quasars and decimals", k=1, parts=None)
    assert answer.hits[0].words
    assert "quasars" in answer.unknown_words
    covered = set(answer.hits[0].words)
    assert covered.isdisjoint(answer.uncovered_words)
    assert covered | set(answer.uncovered_words) | set(answer.unknown_words) == {
        "unique", "elements", "quasars", "decimals",
    }  # fmt: skip


def test_parts_are_told_from_the_text_or_given_and_say_who_serves_them(tmp_path: Path) -> None:
    tools = store(tmp_path / "s.cover")
    tools.add(as_documents(DOCUMENTS))
    answer = tools.answer("sort an array, then compute the mean", k=2)
    assert [part.text for part in answer.parts] == ["sort an array", "compute the mean"]
    assert {hit.id for hit in answer.hits} == {"sort", "mean"}
    assert [part.served_by for part in answer.parts] == [("sort",), ("mean",)]
    given = tools.answer("clean up", k=2, parts=["unique elements", "round numbers to decimals"])
    assert {hit.id for hit in given.hits} == {"unique", "round"}
    assert tools.answer("sort an array, then compute the mean", parts=None).parts == []
    for wrong, told in (
        (["a", "a"], "different"),
        ([""], "not empty"),
        ("all", "'auto'"),
        (["x"] * 17, "at most 16"),
    ):
        with pytest.raises(ValueError, match=told):
            tools.answer("sort", parts=wrong)  # type: ignore[arg-type]


def test_versions_of_a_document_are_one_kind_and_named(tmp_path: Path) -> None:
    tools = store(tmp_path / "s.cover")
    versions = {f"{i}-{n}": f"{text}{' See the guide.' * n}" for i, text in DOCUMENTS.items() for n in range(3)}
    tools.add(as_documents(versions))
    hits = tools.search("sort an array, then compute the mean and round numbers to decimals", k=4)
    kinds = [hit.id.split("-")[0] for hit in hits]
    assert len(set(kinds)) == len(kinds) == 4
    named = {other for hit in hits for other in hit.alike}
    assert all(other.split("-")[0] in kinds for other in named)
    assert named
    off = tools.search("sort an array", k=3, decoder=NNN(distinct=False), parts=None)
    assert {hit.id.split("-")[0] for hit in off} == {"sort"}


def test_what_nothing_answers_is_told(tmp_path: Path) -> None:
    tools = store(tmp_path / "s.cover")
    tools.add(as_documents(DOCUMENTS))
    answer = tools.answer("xyzzy qwfp zxcv", k=3)
    assert not answer.answered
    assert tools.answer("sort an array").answered
    assert answer.unknown_words == ["xyzzy", "qwfp", "zxcv"]


def test_the_share_of_words_is_the_searches_or_the_stores(tmp_path: Path) -> None:
    tools = store(tmp_path / "s.cover")
    tools.add(as_documents(DOCUMENTS))
    assert tools.answer("sort", share=1.0).share == 1.0
    tools.configure(NNN(), share=0.3)
    assert store(tmp_path / "s.cover").answer("sort").share == pytest.approx(0.3)
    with pytest.raises(ValueError, match="share must be a finite number between 0 and 1"):
        tools.answer("sort", share=1.5)


def test_a_store_says_which_words_it_was_made_with(tmp_path: Path) -> None:
    plain = store(tmp_path / "plain.cover", words=None)
    plain.add(as_documents(DOCUMENTS))
    assert plain.words is None
    assert plain.answer("sort an array, then compute the mean").parts == []
    with pytest.raises(ValueError, match="keeps no words"):
        plain.answer("sort", share=0.5)
    with pytest.raises(ValueError, match="words must be None, as the store"):
        store(tmp_path / "plain.cover", words="german")
    assert store(tmp_path / "german.cover", words="german").words == "german"
    with pytest.raises(ValueError, match="words must be one of"):
        store(tmp_path / "other.cover", words="klingon")
    assert not (tmp_path / "other.cover").exists()


def test_a_store_of_the_first_format_answers_as_before_and_is_brought_over(tmp_path: Path) -> None:
    folder = tmp_path / "first.cover"
    shutil.copytree(FIRST, folder)
    old = Retriever.open(folder, Precomputed(4, "by-hand"))
    query = np.array([0.7, 0.5, 0.5, 0.1], np.float32)
    before = [(hit.id, hit.weight) for hit in old.search(query, k=3)]
    assert (old.words, len(old)) == (None, 4)
    assert before == [(hit.id, hit.weight) for hit in Retriever.open(folder).search(query, k=3)]
    result = CliRunner().invoke(app, ["upgrade", str(folder)])
    assert result.exit_code == 0, result.output
    assert "has words now (english), of 4 documents" in result.output
    new = Retriever.open(folder)
    assert (new.words, len(new), new.decoder) == ("english", 4, NNN(l1=0.05, l2=0.1))
    snapshot = new.snapshot()
    assert snapshot.vocabulary is not None
    assert "array" in snapshot.vocabulary
    after = [(hit.id, hit.weight) for hit in new.search(query, k=3, decoder=NNN(l1=0.05, l2=0.1, distinct=False))]
    assert after == before
    assert [hit.id for hit in new.search(query, k=1, where={"lang": "py"})] == ["np.unique"]
    assert "nothing to do" in CliRunner().invoke(app, ["upgrade", str(folder)]).output
    new.add([{"id": "np.sum", "text": "Sum of array elements.", "vector": [0, 1, 0, 0]}])
    assert len(Retriever.open(folder)) == 5


def test_a_store_of_the_first_format_says_what_it_lacks_and_how_it_gets_it(tmp_path: Path) -> None:
    folder = tmp_path / "first.cover"
    shutil.copytree(FIRST, folder)
    lacks = (
        rf"the store {folder} is of the first format, without words, and coverset upgrade {folder} --words german"
    )
    with pytest.raises(ValueError, match=lacks):
        Retriever.open(folder, words="german")
    with pytest.raises(ValueError, match="is of the first format and keeps no words, and coverset upgrade"):
        Retriever.open(folder).search(np.ones(4), share=0.5)

    def told(*options: str) -> str:
        done = CliRunner().invoke(app, ["info", str(folder), *options])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert f"is of the first format, without words, and coverset upgrade {folder} brings it over" in told()
    assert "Its vectors were made elsewhere: search it from Python" in told()
    assert json.loads(told("--json"))["format"] == 1
    assert CliRunner().invoke(app, ["upgrade", str(folder), "--words", "german"]).exit_code == 0
    assert Retriever.open(folder, words="german").words == "german"
    assert "first format" not in told()
    assert json.loads(told("--json"))["format"] == 2


def test_those_who_have_a_store_open_see_that_it_was_brought_over(tmp_path: Path) -> None:
    folder = tmp_path / "first.cover"
    shutil.copytree(FIRST, folder)
    writer, reader = Retriever.open(folder), Retriever.open(folder)
    writer.add([{"id": "silent", "text": "", "vector": [0, 0, 0, 1]}])
    assert len(reader) == 5
    assert writer.upgrade() == 5
    assert writer.words == reader.words == "english"
    for each in (writer, reader):
        assert_same_words(each.snapshot(), Retriever.open(folder).snapshot())
