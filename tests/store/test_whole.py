"""Answers by document: one passage of each if asked for, and the documents put together again."""

from __future__ import annotations

from pathlib import Path

import pytest

from coverset import NNN, Dense, Retriever
from coverset.sources import passages, read_sources

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    store = Retriever.open(tmp_path_factory.mktemp("guide") / "s.cover")
    paths = [ROOT / "docs" / f"{name}.md" for name in ("choosing", "filters", "ideas", "index", "store", "words")]
    documents = [{"id": path.name, "text": path.read_text(encoding="utf-8")} for path in paths]
    store.add([*passages(documents, 800, headings=True), {"id": "short", "text": "Sort, then drop duplicates."}])
    return store


@pytest.mark.parametrize("decoder", [Dense(), NNN(l1=0.02, l2=0.1)], ids=str)
def test_an_answer_has_one_passage_of_each_document_the_best_one(guide: Retriever, decoder: Dense | NNN) -> None:
    documents = {i.split("#")[0] for i in guide.ids()}
    query = "how are documents stored and encoded?"
    found = guide.search(query, k=4, decoder=decoder, per="document")
    homes = [hit.id.split("#")[0] for hit in found]
    assert len(set(homes)) == len(homes) == 4
    everything = guide.search(query, k=len(guide), decoder=decoder)
    assert homes == list(dict.fromkeys(hit.id.split("#")[0] for hit in everything))[:4]
    assert [hit.id for hit in found] == [
        next(hit.id for hit in everything if hit.id.split("#")[0] == home) for home in homes
    ]
    assert len(guide.search(query, k=99, decoder=decoder, per="document")) == len(documents)
    assert len(guide.search(query, k=4, decoder=decoder)) == 4


def test_answers_by_document_say_all_that_answers_say(guide: Retriever) -> None:
    queries = ["how are documents stored and encoded?", "durable stores", "sort, then drop duplicates"]
    answers = guide.answer_batch(queries, k=4, per="document", explain=True)
    for query, answer in zip(queries, answers, strict=True):
        assert [hit.id for hit in answer.hits] == [hit.id for hit in guide.search(query, k=4, per="document")]
        assert len({hit.id.split("#")[0] for hit in answer.hits}) == len(answer.hits) > 0
        assert all(hit.adds is not None for hit in answer.hits)
        assert answer.covered >= max(hit.score for hit in answer.hits) - 1e-6
        # Where passages were left out for others of their document, it is not proved which these are.
        by_passage = guide.answer(query, k=4)
        assert answer.hits[0].id == by_passage.hits[0].id
        if {hit.id for hit in answer.hits} != {hit.id for hit in by_passage.hits}:
            assert answer.proved is False


def test_the_whole_support_too_has_one_passage_of_each_document(tmp_path: Path) -> None:
    pages = {
        "guide": "Stores are durable: a write is on disk before it returns.\n\nFilters pick documents by metadata.",
        "other": "Filters are written as plain data.\n\nThe weather in spring is mild.",
    }
    store = Retriever.open(tmp_path / "s.cover")
    store.add(passages([{"id": i, "text": text} for i, text in pages.items()], 60))
    asked, decoder = "durable stores, and filters by metadata", NNN(l1=0.02, l2=0.1)
    support = [hit.id.split("#")[0] for hit in store.search(asked, k=None, decoder=decoder, parts=None)]
    found = [
        hit.id.split("#")[0] for hit in store.search(asked, k=None, decoder=decoder, parts=None, per="document")
    ]
    assert support.count("guide") == 2
    assert sorted(found) == sorted(set(support))


def test_documents_are_put_together_again_from_their_passages(guide: Retriever) -> None:
    found = guide.whole(guide.search("how are documents stored and encoded?", k=12))
    assert len({document.id for document in found}) == len(found) > 1
    for document in found:
        original = (ROOT / "docs" / document.id).read_text(encoding="utf-8")
        assert document.text.split() == original.split()
        assert "passage" not in document.meta
    (short,) = guide.whole(guide.get(["short"]))
    assert short.text == "Sort, then drop duplicates."
    assert guide.whole([]) == []


def test_pages_of_a_file_come_back_as_they_were(tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {n}. It says {n} twice: {n}." for n in range(60))
    (tmp_path / "a.txt").write_text(text)
    store = Retriever.open(tmp_path / "s.cover")
    store.add(source.document for source in read_sources([tmp_path / "a.txt"], passages=200).sources)
    (document,) = store.whole(store.search("paragraph 7", k=3))
    assert document.text == text


def test_another_unit_is_refused(guide: Retriever) -> None:
    with pytest.raises(ValueError, match="per must be one of 'passage', 'document', got 'page'"):
        guide.search("x", per="page")
