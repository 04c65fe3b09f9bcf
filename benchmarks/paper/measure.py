"""Finished runs on dev and test, each measured once: vectors are cached, figures are kept beside the run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.paper.recipe import FIXED
from benchmarks.paper.setting import Setting
from coverset.decoders import MMR, NNN, Decoder, Dense
from coverset.encoders import load_encoder
from coverset.encoders.cache import CachedEncoder
from coverset.evaluation.datasets import load
from coverset.evaluation.measuring import Labelled, evaluate
from coverset.evaluation.tuning import Trial, best
from coverset.indexes import MemoryIndex
from coverset.training.notes import write_whole

OURS = ("l1", "l2", "relevance")


def best_fixed(name: str, made: Path, setting: Setting) -> dict[str, Any]:
    """Return the strengths of the paper's grid that do best on dev with a finished run's encoder."""
    kept = made / "training" / f"{name}.dev.json"
    if not kept.is_file():
        index, dev = vectors(made, setting, "dev")
        chosen = best_of(FIXED[name], index, dev).decoder
        write_whole(kept, json.dumps({k: v for k, v in asdict(chosen).items() if k in OURS}))
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def best_of(decoders: list[Decoder], index: MemoryIndex, dev: Labelled) -> Trial:
    """Return the paper's choice among decoders, with what it gets on every query."""
    return best([Trial(decoder, evaluate(decoder, index, dev)) for decoder in decoders])


def measured(name: str, decoder: dict[str, Any], made: Path, setting: Setting) -> dict[str, Any]:
    """Return a line's strengths and its test figures in percent, measured once."""
    kept = made / "training" / f"{name}.test.json"
    if not kept.is_file():
        index, test = vectors(made, setting, "test")
        chosen = {key: decoder[key] for key in OURS if decoder.get(key) is not None}
        values = evaluate(_decoder(chosen), index, test)
        figures = {str(metric): 100 * float(value.mean()) for metric, value in values.items()}
        write_whole(kept, json.dumps({**chosen, **figures}))
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def vectors(made: Path, setting: Setting, split: str) -> tuple[MemoryIndex, Labelled]:
    """Return a data set's documents and one split of its queries under a finished run's encoder."""
    data, encoder = load(setting.folder), CachedEncoder(load_encoder(str(made), setting.device), setting.cache)
    chosen = data.split(split)
    return MemoryIndex(encoder.encode(data.texts)), Labelled.of(
        encoder.encode_queries(chosen.texts), chosen.relevant
    )


def _decoder(chosen: dict[str, float]) -> Decoder:
    if "relevance" in chosen:
        return MMR(relevance=chosen["relevance"])
    return NNN(l1=chosen["l1"], l2=chosen["l2"]) if chosen else Dense()
