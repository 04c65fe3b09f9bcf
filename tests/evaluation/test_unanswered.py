"""What nothing answers is measured as a search returns it: by the nearest document alone."""

from __future__ import annotations

import json
from pathlib import Path

from coverset import Dense, Retriever
from coverset.demo.catalogue import catalogue
from coverset.evaluation.embedded import Space, embed
from coverset.evaluation.measuring import evaluate, incomplete
from coverset.evaluation.metrics import Recall

PIZZA, SORT = "order a pizza for lunch", "Return a sorted copy of an array"


def test_a_label_that_a_search_cuts_off_is_not_found(tmp_path: Path) -> None:
    tools = dict(list(catalogue().items())[::3]) | {"np.sort": catalogue()["np.sort"]}
    store = Retriever.open(tmp_path / "s.cover")
    store.add([{"id": name, "text": text} for name, text in tools.items()])
    ranked = [
        hit.id for hit in store.search(PIZZA, 5, decoder=Dense(), where={"$not": {"no": 1}})
    ]  # a filter: all
    assert (len(ranked), len(store.search(PIZZA, decoder=Dense()))) == (5, 1)
    data = tmp_path / "data"
    (data / "qrels").mkdir(parents=True)
    _lines(data / "corpus.jsonl", [{"_id": name, "text": text} for name, text in tools.items()])
    _lines(data / "queries.jsonl", [{"_id": str(n), "text": text} for n, text in enumerate((PIZZA, PIZZA, SORT))])
    labels = [("0", ranked[0]), ("1", ranked[1]), ("2", "np.sort")]
    (data / "qrels/test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t1\n" for q, d in labels)
    )
    index, (labelled,) = embed(data, "all-MiniLM-L6-v2", tmp_path / "cache", ["test"], Space("hybrid", parts=True))
    assert evaluate(Dense(), index, labelled)[Recall @ 5].tolist() == [1.0, 0.0, 1.0]
    assert [query for query, _ in incomplete(Dense(), index, labelled)] == [1]


def _lines(path: Path, records: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
