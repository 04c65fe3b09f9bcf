"""Ray over 1 to 4 shards: time per query, and bytes moved a round."""

from __future__ import annotations

import json
import tempfile
from typing import Any

import numpy as np

from benchmarks.engines.common import DECODER, K, best
from coverset.arrays import Floats
from coverset.indexes import RayIndex


def shards(corpus: Floats, queries: Floats) -> list[dict[str, Any]]:
    """Ray over 1 to 4 shards: time per query, and bytes moved a round."""
    import ray

    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    rows = []
    for count in (1, 2, 3, 4):
        with tempfile.TemporaryDirectory(prefix="coverset-ray-") as folder:
            RayIndex.build(folder, corpus, shards=count).close()
            index = _Counting(folder)
            DECODER.decode_batch(queries[:8], index, k=K)
            index.rounds.clear()
            seconds, found = best(lambda index=index: DECODER.decode_batch(queries, index, k=K), 2)
            one, _ = best(lambda index=index: [DECODER.decode(query, index, k=K) for query in queries[:10]], 1)
            rounds = np.array(index.rounds, float)
            rows.append(
                {
                    "shards": count,
                    "certified": sum(bool(s.certified) for s in found),
                    "rounds": float(np.mean([s.passes for s in found])),
                    "batch_ms": 1000 * seconds / len(queries),
                    "single_ms": 1000 * one / 10,
                    "kilobytes_out": float(rounds[:, 0].mean() / rounds[:, 2].mean() / 1000),
                    "kilobytes_back": float(rounds[:, 1].mean() / rounds[:, 2].mean() / 1000),
                }
            )
            index.close()
            print(json.dumps(rows[-1]), flush=True)
    ray.shutdown()
    return rows


class _Counting(RayIndex):
    """Counts what a round moves: (bytes out, bytes back, queries)."""

    def __init__(self, folder: Any) -> None:
        super().__init__(folder)
        self.rounds: list[tuple[int, int, int]] = []

    def _gather(self, question: str, *arguments: Any) -> list[Any]:
        answers = super()._gather(question, *arguments)
        out = sum(a.nbytes for a in arguments if isinstance(a, np.ndarray)) * len(self.shards)
        back = sum(part.nbytes for answer in answers for part in answer)
        self.rounds.append((out, back, len(arguments[0])))
        return answers
