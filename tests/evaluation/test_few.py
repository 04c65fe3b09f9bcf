"""A few labelled queries tune with care, and a store can be tuned with examples of one's own."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy.ndimage import generic_filter

from coverset import NNN, Dense, MemoryIndex, Retriever, Vectors
from coverset.decoders.nnn import L1, L2
from coverset.decoders.registry import grid
from coverset.decoders.requests import Requests
from coverset.evaluation.advice import Likeness
from coverset.evaluation.datasets import load
from coverset.evaluation.embedded import embed
from coverset.evaluation.examples import read_examples, read_queries
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.metrics import Comp, Recall
from coverset.evaluation.tuning import Trial, attempt, attempt_all, choose
from coverset.evaluation.tuning_report import Tuning
from coverset.lines import FileError
from tests.evaluation.test_eval import run


def trials(worths: np.ndarray) -> list[Trial]:
    """A grid whose cells are worth this much to each of some queries."""
    return [
        Trial(decoder, {Recall @ 5: worth, Comp @ 5: worth})
        for decoder, worth in zip(grid("nnn"), worths.reshape(77, -1), strict=True)
    ]


def default(worth: np.ndarray) -> Trial:
    return Trial(NNN(), {Recall @ 5: worth, Comp @ 5: worth})


def test_the_choice_is_the_best_neighbourhood_not_the_luckiest_cell() -> None:
    worths = np.random.default_rng(0).random((len(L2), len(L1), 12))
    worths[2, 2] += 3.0
    worths[7:10, 3:6] += 1.0
    grid = trials(worths)
    means = generic_filter(worths.mean(axis=2), np.nanmean, size=3, mode="constant", cval=np.nan)
    assert np.unravel_index(means.argmax(), means.shape) == (8, 4)
    assert choose(grid, default(np.zeros(12))).trial is grid[8 * len(L1) + 4]


def test_without_good_reason_the_choice_stays_with_the_default() -> None:
    worths = np.full((len(L2), len(L1), 12), 0.5)
    assert choose(trials(worths), default(np.full(12, 0.5))).trial.decoder == NNN()
    # Two queries of twelve that gain may be luck; three of them, and none that loses, are not.
    for gaining, stays in ((2, True), (3, False)):
        worths[:, :, :] = 0.0
        worths[:, :, :gaining] = 1.0
        assert (choose(trials(worths), default(np.zeros(12))).trial.decoder == NNN()) is stays


def test_the_share_of_words_is_chosen_with_the_same_care() -> None:
    grid, usual = trials(np.zeros((len(L2), len(L1), 12))), np.zeros(12)

    def share(value: float, worth: float) -> Trial:
        return Trial(NNN(), {Recall @ 5: np.full(12, worth), Comp @ 5: np.full(12, worth)}, value)

    plain = replace(default(usual), share=0.6)
    shares = [share(0.3, 0.9), share(0.4, 0.0), share(0.5, 0.0), share(0.7, 0.6), share(0.8, 0.7)]
    assert choose([*grid, *shares], plain).trial is shares[-1]  # 0.65 with its neighbour; 0.3 stands alone: 0.45
    assert choose([*grid, *(share(t.share or 0.0, 0.0) for t in shares)], plain).trial is plain


def test_what_left_out_queries_call_worse_is_not_chosen() -> None:
    # One corner of the grid serves the even queries, the other the odd ones; the default serves the first three.
    worths = np.zeros((len(L2), len(L1), 12))
    worths[:3, :3, ::2] = worths[-3:, -3:, 1::2] = 1.0
    grid, plain = trials(worths), default((np.arange(12) < 3).astype(float))
    best = choose(grid, plain).best
    gains = best.worth - plain.worth
    # On the queries that choose it, it is better by more than a standard error.
    assert gains.mean() > gains.std(ddof=1) / np.sqrt(12)
    # Without one of the even queries the odd ones win, and the other way round: no query is served by the others.
    assert choose(grid, plain).gain.mean == pytest.approx(-1 / 4)
    assert choose(grid, plain).trial is plain


@pytest.mark.parametrize("seed", range(5))
def test_the_gain_is_measured_on_queries_that_the_choice_has_not_seen(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid, plain = trials((rng.random((len(L2), len(L1), 9)) < 0.5).astype(float)), default(np.zeros(9))
    means = [
        generic_filter(
            np.delete([t.worth for t in grid], q, axis=1).mean(axis=1).reshape(len(L2), len(L1)),
            np.nanmean,
            size=3,
            mode="constant",
            cval=np.nan,
        )
        for q in range(9)
    ]
    by_hand = [grid[int(mean.round(9).argmax())].values[Comp @ 5][q] for q, mean in enumerate(means)]
    assert choose(grid, plain).gain.mean == pytest.approx(np.mean(by_hand))


@pytest.mark.parametrize("name", ["nnn", "mmr", "l1"])
@pytest.mark.parametrize("count", [8, 20])
def test_among_settings_that_are_no_better_the_default_nearly_always_stays(name: str, count: int) -> None:
    rng, left = np.random.default_rng(0), 0
    for _ in range(100):
        usual, *others = (rng.random((1 + len(grid(name)), count)) < 0.5).astype(float)
        tried = [
            Trial(decoder, {Recall @ 5: worth, Comp @ 5: worth})
            for decoder, worth in zip(grid(name), others, strict=True)
        ]
        choice = choose(tried, default(usual))
        left += choice.trial is choice.best
    assert left <= 15  # an interval of 80% is above the truth one time in ten


def test_choice_on_real_vectors_is_never_far_below_dense(folder: Path) -> None:
    index, (dev, test) = embed(folder, "all-MiniLM-L6-v2", folder / "cache", ["dev", "test"])
    grid = attempt("nnn", index, dev)
    chosen = choose(grid, Trial(NNN(), evaluate(NNN(), index, dev))).trial.decoder
    ours, dense = (evaluate(d, index, test)[Comp @ 5].mean() for d in (chosen, Dense()))
    assert ours >= dense - 0.01


def test_what_is_tried_says_by_itself_what_counts_as_one_kind() -> None:
    rows = np.eye(6, dtype=np.float32)
    words = (np.arange(7), np.arange(6), np.ones(6, np.float32), 6)
    labelled = Labelled.of(rows[:2], [np.array([0, 1]), np.array([1])])
    by_both = Labelled(Requests(Vectors(rows, words).take(slice(0, 2))), labelled.relevant)
    for name, index, asked, distinct in (
        ("nnn", MemoryIndex(Vectors(rows, words)), by_both, 0.95),
        ("mmr", MemoryIndex(Vectors(rows, words)), by_both, 0.95),
        ("nnn", MemoryIndex(rows), labelled, 0.95),  # as NNN() has it, which chooses
        ("mmr", MemoryIndex(rows), labelled, False),
    ):
        tried, usual = attempt_all(name, index, asked)
        assert {trial.decoder.distinct for trial in tried} == {distinct}  # type: ignore[attr-defined]
        assert usual.decoder.distinct == "auto"  # type: ignore[attr-defined]


@pytest.mark.parametrize("stays", [True, False])
def test_what_is_said_is_what_is_done(stays: bool) -> None:
    worths = np.zeros((len(L2), len(L1), 20))
    worths[:, :, : 2 if stays else 10] = 1.0
    tried, usual = trials(worths), default(np.zeros(20))
    choice, alike = choose(tried, usual), Likeness(0.2, 0.3)
    result = Tuning(choice, tried, usual, alike, queries=20, seconds=0.0)
    console = Console(file=StringIO(), width=1000)
    result.show(console)
    said, told = console.file.getvalue(), result.as_json()  # type: ignore[attr-defined]
    low, high = told["gain interval"]
    assert f"{told['gain']:+.1f} points over the default" in said
    assert f"80% interval {low:+.1f} to {high:+.1f}, on 20 queries" in said
    assert told["advice"] in said
    assert (low > 0) is not stays
    assert ("No setting is surely better" in said) is stays
    assert (result.decoder == NNN()) is stays


@pytest.fixture(scope="module")
def store(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    data, path = load(folder), tmp_path_factory.mktemp("stores") / "tools.cover"
    Retriever.open(path, words=None).add(
        {"id": i, "text": text} for i, text in zip(data.ids, data.texts, strict=True)
    )
    return path


def test_a_store_is_tuned_with_examples_and_keeps_the_result(folder: Path, store: Path, tmp_path: Path) -> None:
    data, examples = load(folder), tmp_path / "examples.jsonl"
    split = data.split("dev")
    lines = [
        {"query": text, "relevant": [data.ids[row] for row in rows]}
        for text, rows in zip(split.texts, split.relevant, strict=True)
    ]
    examples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    plain = run(store, examples, "--json", command="tune")
    assert plain.returncode == 0, plain.stderr
    assert Retriever.open(store).decoder == NNN()
    chosen = NNN(**json.loads(plain.stdout)["params"])
    index, (dev,) = embed(folder, "all-MiniLM-L6-v2", folder / "cache", ["dev"])
    grid, usual = attempt_all("nnn", MemoryIndex(index.corpus.meaning), dev)
    assert chosen == choose(grid, usual).trial.decoder
    done = run(store, examples, "--apply", command="tune")
    assert done.returncode == 0, done.stderr
    assert "default" in " ".join(done.stdout.split())
    assert Retriever.open(store).decoder == chosen


def test_where_the_default_stays_its_figures_are_told_and_what_is_missing(store: Path, tmp_path: Path) -> None:
    Retriever.open(store).configure(NNN())
    nearest = [hit.id for hit in Retriever.open(store).search("sort an array", 5, parts=None)]
    far = next(i for i in Retriever.open(store).ids() if i not in nearest)
    (tmp_path / "one.jsonl").write_text(json.dumps({"query": "sort an array", "relevant": [nearest[0], [far]]}))
    said = " ".join(run(store, tmp_path / "one.jsonl", "--apply", command="tune").stdout.split())
    assert "No setting is surely better than the default." in said
    assert "on 1 query" in said
    assert "Recall@5 50.0 (95% interval" in said
    assert "Comp@5 0.0 (95% interval" in said
    assert f"Not complete: 1 of 1 “sort an array” lacks {far}" in said
    assert "Nothing was changed" in said


def test_a_store_is_suited_to_queries_without_labels(folder: Path, store: Path, tmp_path: Path) -> None:
    split, log = load(folder).split("dev"), tmp_path / "queries.jsonl"
    log.write_text("".join(json.dumps({"query": text, "user": 7}) + "\n" for text in split.texts))
    before = Retriever.open(store).decoder
    done = run(store, log, "--unlabelled", "--json", command="tune")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    index, (dev,) = embed(folder, "all-MiniLM-L6-v2", folder / "cache", ["dev"])
    assert NNN(**told["params"]) == NNN.suited(dev.queries.wholes, index)
    assert told["queries"] == len(split.texts)
    same = run(folder, "--unlabelled", "--space", "dense", "--cache", folder / "cache", "--json", command="tune")
    assert json.loads(same.stdout)["params"] == told["params"]
    assert Retriever.open(store).decoder == before
    applied = run(store, log, "--unlabelled", "--apply", command="tune")
    assert applied.returncode == 0, applied.stderr
    assert f"NNN(l2={told['params']['l2']!r})" in applied.stdout
    assert "Only labelled queries can tell for sure" in " ".join(applied.stdout.split())
    assert Retriever.open(store).decoder == NNN(**told["params"])


def test_bad_queries_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"query": "a"}\n{"text": "b"}\n')
    with pytest.raises(FileError, match=":2: query must be a text that is not empty"):
        read_queries(path)
    path.write_text("\n")
    with pytest.raises(FileError, match="no queries"):
        read_queries(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r":2: not JSON"),
        ('{"query": "a"}', ":2: must be an object with 'query' and 'relevant'"),
        ('{"query": " ", "relevant": ["x"]}', ":2: query must be a text that is not empty"),
        ('{"query": "a", "relevant": []}', ":2: relevant must be a list of ids"),
        ('{"query": "a", "relevant": [1]}', ":2: relevant must be a list of ids"),
        ('{"query": "a", "relevant": [[]]}', ":2: relevant must be a list of ids, or of lists of ids"),
        ('{"query": "a", "relevant": [["x", "z"]]}', ":2: the store has no document 'z'"),
        ('{"query": "a", "relevant": ["y"]}', ":2: the store has no document 'y'"),
    ],
)
def test_bad_examples_are_named_by_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text('{"query": "a", "relevant": ["x", "x"]}\n' + line + "\n")
    with pytest.raises(FileError, match=message):
        read_examples(path, {"x": 0})
    path.write_text("\n")
    with pytest.raises(FileError, match="no examples"):
        read_examples(path, {"x": 0})


def test_a_list_among_the_ids_is_any_one_of_them(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text('{"query": "a", "relevant": ["x", ["y", "z"], ["z", "y"]]}\n')
    assert read_examples(path, {"x": 0, "y": 1, "z": 2}) == (["a"], [[0, frozenset({1, 2})]])


def test_a_missing_store_or_file_is_bad_input(store: Path, tmp_path: Path) -> None:
    for arguments in ((tmp_path / "nowhere", tmp_path / "e.jsonl"), (store, tmp_path / "e.jsonl")):
        done = run(*arguments, command="tune")
        assert done.returncode == 2
        told = "".join(done.stderr.replace("│", "").split())  # a long path is broken over lines
        assert str(arguments[0 if "nowhere" in str(arguments[0]) else 1].name) in told
    assert run(tmp_path, "--apply", command="tune").returncode == 2
