"""Write a trained bi-encoder into a folder that `load_encoder` (and sentence-transformers) reads.

Adapters over an encoder that is not ours to change go into a folder of ours. Everything else becomes a
sentence-transformers model with a route for queries and one for documents, of standard modules only.
"""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from coverset.encoders.cache import CachedEncoder
from coverset.encoders.model_folder import CARD
from coverset.encoders.sentence_transformers import SentenceTransformersEncoder
from coverset.extras import require
from coverset.training.base import routes
from coverset.training.towers import Adapter, TextTower, Tower, VectorTower


def save(queries: Tower, documents: Tower, folder: Path, base: str) -> None:
    """Write the model into a folder; `base` is the name or folder of the encoder that training began with."""
    if isinstance(queries, TextTower):
        save_routes(queries, documents, folder)
        return
    assert isinstance(documents, VectorTower)
    save_card(folder, "adapted", base)
    for name, tower in (("query", queries), ("document", documents)):
        save_tensors(tower.adapter.state_dict(), folder / f"{name}.safetensors")


def save_routes(queries: TextTower, documents: Tower, folder: Path) -> None:
    """Write a sentence-transformers model with a route for queries and one for documents."""
    library = require("sentence_transformers", "train")
    modules = require("sentence_transformers.sentence_transformer.modules", "train")
    if isinstance(documents, VectorTower):
        encoder = documents.base.encoder if isinstance(documents.base, CachedEncoder) else documents.base
        if not isinstance(encoder, SentenceTransformersEncoder):
            raise ValueError(f"the documents' encoder must be a sentence-transformers model, got {encoder.name!r}")
        under, (_, route) = encoder.model, routes(encoder.model)
        layers, prompt = [*route, *_standard(documents.adapter)], under.prompts.get("document", "")
    else:
        layers, prompt = list(documents.layers), documents.prompt
    router = modules.Router.for_query_document(list(queries.layers), layers)
    prompts = {"query": queries.prompt, "document": prompt}
    model = library.SentenceTransformer(modules=[router], prompts=prompts, device="cpu")
    model.save(str(folder), create_model_card=False)


def _standard(adapter: Adapter) -> list[Any]:
    """Write an adapter as standard modules.

    gelu(x) - gelu(-x) = x, so a first layer that also hands on x and -x lets the second take their difference.
    """
    modules = require("sentence_transformers.sentence_transformer.modules", "train")
    adapter = copy.deepcopy(adapter).cpu()
    dim, share = adapter.second.out_features, torch.sigmoid(adapter.mix.detach())
    eye, none = torch.eye(dim), torch.zeros(dim)
    first = torch.cat([adapter.first.weight.detach(), eye, -eye])
    second = torch.cat([share * adapter.second.weight.detach(), (1 - share) * eye, (share - 1) * eye], dim=1)
    return [
        modules.Dense(
            dim,
            len(first),
            activation_function=nn.GELU(),
            init_weight=first,
            init_bias=torch.cat([adapter.first.bias.detach(), none, none]),
        ),
        modules.Dense(
            len(first),
            dim,
            activation_function=nn.Identity(),
            init_weight=second,
            init_bias=share * adapter.second.bias.detach(),
        ),
        modules.Normalize(),
    ]


def save_card(folder: Path, kind: str, base: str) -> None:
    """Write what a folder of ours is; an encoder underneath that is a folder itself is copied into it."""
    folder.mkdir(parents=True, exist_ok=True)
    inside = Path(base).is_dir()
    if inside:
        shutil.copytree(base, folder / "base", dirs_exist_ok=True, ignore=shutil.ignore_patterns("training"))
    card = {"kind": kind, "base": None if inside else base}
    (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def save_tensors(tensors: dict[str, Tensor], path: Path) -> None:
    """Write tensors into a safetensors file."""
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    require("safetensors.torch", "train").save_file(contiguous, path)
