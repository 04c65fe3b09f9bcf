"""What the page is fed: three answers, how alike their documents are, what they cover, and the l1 path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.linear_model import ElasticNet

from coverset import NNN, Retriever
from coverset.decoders.registry import DECODERS
from coverset.demo.catalogue import REQUESTS
from coverset.indexes.memory.index import SHARE
from tests.server.conftest import Server


@pytest.fixture(scope="module")
def found(client: httpx.Client) -> dict[str, Any]:
    response = client.post("/v1/compare", json={"query": REQUESTS[0], "l1": 0.05, "l2": 0.1, "path": True})
    assert response.status_code == 200, response.text
    comparison: dict[str, Any] = response.json()
    return comparison


def test_each_side_is_what_a_search_with_that_decoder_returns(client: httpx.Client, found: dict[str, Any]) -> None:
    for name, given in (("dense", {}), ("mmr", {"relevance": 0.7}), ("nnn", {"l1": 0.05, "l2": 0.1})):
        hits = client.post("/v1/search", json={"query": REQUESTS[0], "decoder": name, **given}).json()["hits"]
        assert [(h["id"], h["weight"]) for h in found["answers"][name]["hits"]] == [
            (h["id"], h["weight"]) for h in hits
        ]
    assert found["answers"]["nnn"]["certified"] is True


def test_it_says_what_was_run_and_on_which_version(found: dict[str, Any], tools: Path) -> None:
    assert found["version"] == Retriever.open(tools).snapshot().version
    run = {name: side["decoder"] for name, side in found["answers"].items()}
    assert {name: run[name]["name"] for name in run} == {name: kind.__name__ for name, kind in DECODERS.items()}
    assert (run["nnn"]["parameters"]["l1"], run["nnn"]["parameters"]["l2"]) == (0.05, 0.1)


def test_words_have_the_share_that_is_asked_for(
    served_library: Server, library: Path, client: httpx.Client
) -> None:
    store, body = Retriever.open(library), {"query": REQUESTS[0], "l1": 0.05, "l2": 0.1}
    with served_library.client() as other:
        for share in (None, 0.0, 0.3, 1.0):
            side = other.post("/v1/compare", json={**body, "share": share}).json()["answers"]["nnn"]
            expected = store.answer(REQUESTS[0], decoder=NNN(l1=0.05, l2=0.1), share=share)
            assert [(hit["id"], hit["score"]) for hit in side["hits"]] == [
                (hit.id, pytest.approx(hit.score, abs=1e-6)) for hit in expected.hits
            ]
    refused = client.post("/v1/compare", json={**body, "share": 0.5})
    assert (refused.status_code, "share must be None" in refused.text) == (422, True)


def test_scores_are_by_what_a_side_ranks_by(served_library: Server, library: Path) -> None:
    store = Retriever.open(library)
    with served_library.client() as client:
        for request in REQUESTS:
            sides = client.post("/v1/compare", json={"query": request, "k": 10}).json()["answers"]
            query, snapshot = store.query_vectors([request])[0].astype(float), store.snapshot()
            for name in ("dense", "mmr"):
                cosines = [float(snapshot.vector(hit["id"]) @ query) for hit in sides[name]["hits"]]
                scores = [hit["score"] for hit in sides[name]["hits"]]
                assert scores == pytest.approx([max(cosine, 0.0) ** 2 for cosine in cosines], abs=1e-5)
            dense = [hit["score"] for hit in sides["dense"]["hits"]]
            assert dense == sorted(dense, reverse=True)
            nnn = store.search(request, 10)
            assert [hit["score"] for hit in sides["nnn"]["hits"]] == pytest.approx(
                [h.score for h in nnn], abs=1e-5
            )
            assert {name: side["share"] for name, side in sides.items()} == {
                "dense": 0.0, "mmr": 0.0, "nnn": SHARE, "rrf": SHARE
            }  # fmt: skip


def test_documents_are_told_once_with_their_cosines(found: dict[str, Any], tools: Path) -> None:
    shown = [document["id"] for document in found["documents"]]
    assert set(shown) == {hit["id"] for side in found["answers"].values() for hit in side["hits"]}
    assert len(shown) == len(set(shown))
    snapshot = Retriever.open(tools).snapshot()
    rows = np.stack([snapshot.vector(i) for i in shown]).astype(float)
    np.testing.assert_allclose(found["similarity"], rows @ rows.T, atol=1e-4)


def test_what_is_covered_is_what_non_negative_least_squares_rebuilds(found: dict[str, Any], tools: Path) -> None:
    store = Retriever.open(tools)
    query = store.query_vectors([REQUESTS[0]])[0].astype(float)
    for side in found["answers"].values():
        rows = np.stack([store.snapshot().vector(hit["id"]) for hit in side["hits"]]).astype(float)
        share = 1 - nnls(rows.T, query)[1] ** 2
        assert side["covered"] == pytest.approx(share, abs=1e-5)
        assert sum(hit["adds"] for hit in side["hits"]) == pytest.approx(share, abs=1e-5)
        pairs = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
        assert side["redundancy"] == pytest.approx(pairs.mean(), abs=1e-5)


def test_what_changed_is_the_difference_of_the_two_answers(found: dict[str, Any]) -> None:
    dense, nnn = ([hit["id"] for hit in found["answers"][name]["hits"]] for name in ("dense", "nnn"))
    assert [change["id"] for change in found["left_out"]] == [i for i in dense if i not in nnn] != []
    assert [change["id"] for change in found["brought_in"]] == [i for i in nnn if i not in dense] != []
    assert all(change["dense_rank"] > 5 for change in found["brought_in"])


def test_the_path_is_that_of_scikit_learns_elastic_net(found: dict[str, Any], tools: Path) -> None:
    store = Retriever.open(tools)
    query, corpus = store.query_vectors([REQUESTS[0]])[0].astype(float), store.snapshot().index
    assert corpus is not None
    path, d = found["path"], len(query)
    assert all(a > b for a, b in zip(path["l1"], path["l1"][1:], strict=False))
    for step in (5, 20, len(path["l1"]) - 1):
        l1, l2 = path["l1"][step], 0.1
        # scikit-learn minimises 1/(2d) ||v - Uw||^2 + alpha rho |w| + alpha (1 - rho)/2 ||w||^2.
        alpha, rho = (l1 + l2) / d, l1 / (l1 + l2)
        model = ElasticNet(alpha, l1_ratio=rho, positive=True, fit_intercept=False, tol=1e-12, max_iter=200_000)
        weights = model.fit(corpus.corpus.meaning.T.astype(float), query).coef_
        told = {run["id"]: run["weights"][step] for run in path["documents"]}
        for row, weight in enumerate(weights):
            if weight > 1e-4 and store.snapshot().ids[row] in told:
                assert told[store.snapshot().ids[row]] == pytest.approx(weight, abs=2e-5)
        heaviest = store.snapshot().ids[int(weights.argmax())]
        assert told[heaviest] == pytest.approx(weights.max(), abs=2e-5)
    enters = [run["enters"] for run in path["documents"]]
    assert enters == sorted(enters, reverse=True)


def test_an_empty_selection_and_one_document_are_no_trouble(client: httpx.Client) -> None:
    body = {"query": "x", "where": {"module": "nowhere"}, "path": True}
    nothing = client.post("/v1/compare", json=body).json()
    assert (nothing["searched"], nothing["documents"], nothing["path"]["documents"]) == (0, [], [])
    one = client.post("/v1/compare", json={"query": "x", "k": 1}).json()
    assert {name: len(side["hits"]) for name, side in one["answers"].items()} == dict.fromkeys(DECODERS, 1)
