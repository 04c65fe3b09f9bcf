"""COLT's collaborative stage (Qu et al., CIKM 2024): tools that are needed together come closer together.

Queries, scenes and tools (here: documents) form bipartite graphs. The vectors of train queries and documents,
free parameters started from an encoder, are spread over the query-document graph and over the query-scene graph
as in LightGCN. A list-wise loss fits each query's relevant set, and a contrastive loss holds the two views of
queries and of scenes together. A query that is not in the graph keeps the encoder's vector, so what remains at
the end is a vector for every document.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from coverset.arrays import Floats, Ids
from coverset.decoders import Dense
from coverset.encoders.encoder import Encoder
from coverset.encoders.trained import key
from coverset.training.graphs import incidence, means, propagate, scenes, spread
from coverset.training.material import Examples
from coverset.training.saving import save_card, save_tensors
from coverset.training.task import Task

TEMPERATURE, NEGATIVES = 0.1, 10


class ColtTask(Task):
    """Vectors of documents and train queries, spread over the graphs; every train query is an example.

    They start from an encoder, of which `base` is the name or folder, and are spread `depth` times, the paper's 1
    to 3; `weight` is that of the contrastive loss beside the list-wise one.
    """

    _members: Tensor
    _by_document: Tensor
    _by_scene: Tensor
    _first_scenes: Tensor

    def __init__(self, data: Examples, encoder: Encoder, base: str, depth: int = 2, weight: float = 0.1) -> None:
        super().__init__()
        self.base, self.depth, self.weight, self.decoder, self.dev = base, depth, weight, Dense(), data.dev
        self.documents = nn.Parameter(torch.from_numpy(encoder.encode(data.documents)))
        self.queries = nn.Parameter(torch.from_numpy(encoder.encode_queries(data.train.texts)))
        self._dev, self._texts = encoder.encode_queries(data.dev.texts), data.documents
        self._relevant = data.train.relevant
        sets, self._scene = scenes(data)
        members = means(incidence(sets, len(data.documents)))
        graphs = {
            "_members": members,
            "_by_document": spread(incidence(self._relevant, len(data.documents))),
            "_by_scene": spread(incidence([np.array([scene]) for scene in self._scene], len(sets))),
            "_first_scenes": (members @ self.documents).detach(),
        }
        for name, tensor in graphs.items():
            self.register_buffer(name, tensor, persistent=False)
        self.examples = len(self._relevant)

    def loss(self, rows: Ids) -> Tensor:
        """Return the list-wise loss, over relevant documents and drawn ones, plus the contrastive one."""
        queries, documents, scenes_ = self._views()
        listed, labels = self._lists(rows)
        chosen = [nn.functional.normalize(view[torch.from_numpy(rows)], dim=1) for view in queries]
        scores = (chosen[0] + chosen[1]) @ nn.functional.normalize(documents, dim=1).T
        shares = torch.softmax(scores.masked_fill(~listed, -torch.inf), dim=1).clamp(1e-7, 1 - 1e-7)
        entropy = -(labels * shares.log() + (1 - labels) * (1 - shares).log())
        once = torch.from_numpy(self._scene[rows])
        views = (_contrast(*chosen), _contrast(*(view[once] for view in scenes_)))
        return entropy[listed].mean() + self.weight * (views[0] + views[1]) / 2

    def vectors(self) -> tuple[Floats, Floats]:
        """Return the present vectors of the documents and, as they are, of the dev split's queries."""
        with torch.no_grad():
            return nn.functional.normalize(self._views()[1], dim=1).cpu().numpy(), self._dev

    def save(self, folder: Path) -> None:
        """Write the documents' vectors into a folder, over the encoder that they started from."""
        save_card(folder, "table", self.base)
        keys = np.frombuffer(b"".join(key(text) for text in self._texts), np.uint8).reshape(-1, 32)
        tensors = {"keys": torch.from_numpy(keys.copy()), "vectors": torch.from_numpy(self.vectors()[0])}
        save_tensors(tensors, folder / "documents.safetensors")

    def _views(self) -> tuple[tuple[Tensor, Tensor], Tensor, tuple[Tensor, Tensor]]:
        """Queries and scenes, each over the graph of documents and over that of scenes; and the documents."""
        queries, documents = propagate(self._by_document, self.queries, self.documents, self.depth)
        others, scenes_ = propagate(self._by_scene, self.queries, self._first_scenes, self.depth)
        return (queries, others), documents, (self._members @ documents, scenes_)

    def _lists(self, rows: Ids) -> tuple[Tensor, Tensor]:
        """For each query, which documents are in its list, and what share of it each one should get."""
        listed = torch.zeros(len(rows), len(self.documents), dtype=torch.bool)
        labels = torch.zeros(len(rows), len(self.documents))
        for row, query in enumerate(rows):
            relevant = self._relevant[query]
            listed[row, torch.randperm(len(self.documents))[: NEGATIVES * len(relevant)]] = True
            listed[row, relevant] = True
            labels[row, relevant] = 1 / len(relevant)
        return listed.to(self.device), labels.to(self.device)


def _contrast(first: Tensor, second: Tensor) -> Tensor:
    """Return InfoNCE between two views: each row's other view against those of the rest of the batch."""
    first, second = nn.functional.normalize(first, dim=1), nn.functional.normalize(second, dim=1)
    return nn.functional.cross_entropy(
        first @ second.T / TEMPERATURE, torch.arange(len(first), device=first.device)
    )
