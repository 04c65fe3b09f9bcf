"""Kernels are compiled once for all the arrays that callers may hand in, and those of others as they would be."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numba import njit
from numba.core import event

from coverset import MMR, NNN, RRF, Dense, MemoryIndex, Vectors
from coverset.decoders import Decoder
from coverset.plain import Foreign

DECODERS = (NNN(), NNN(l1=0.1, l2=0.1), NNN(l1=0.1, l2=10.0, certify=True), Dense(distinct=0.9), MMR(), RRF())


class Compilations(event.Listener):
    """Notes which kernels of ours are compiled, or loaded in a form that was not needed before."""

    def __init__(self) -> None:
        self.kernels: list[str] = []

    def on_start(self, event: Foreign) -> None:
        self.kernels.append(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event: Foreign) -> None: ...


def vectors(n: int, both: bool, writeable: bool) -> Vectors:
    rng = np.random.default_rng(n)
    meaning = rng.standard_normal((n, 16)).astype(np.float32)
    meaning.flags.writeable = writeable
    if not both:
        return Vectors(meaning)
    terms = np.tile(np.array([1, 4, 7], np.int32), n) + np.repeat(rng.integers(3, size=n, dtype=np.int32), 3)
    values = np.full(3 * n, 0.577, np.float32)
    values.flags.writeable = writeable
    return Vectors(meaning, (np.arange(0, 3 * n + 1, 3), terms, values, 10))


def decode(decoder: Decoder, both: bool, writeable: bool) -> None:
    for n in (40, 20_000):
        corpus = vectors(n, both, writeable)
        index = MemoryIndex(corpus if both else corpus.meaning)
        for _ in range(10):  # after some passes over many rows there is a rounded copy of them
            decoder.decode(corpus.take(slice(0, 1)), index)
        decoder.decode_batch(corpus.take(slice(0, 3)), index)
        decoder.decode(corpus.take(slice(0, 1)), index, parts=corpus.take(slice(1, 3)))
        if not both:
            decoder.decode(corpus.meaning[0], index)
            decoder.decode_batch(corpus.meaning[:3], index)


def test_arrays_that_are_read_only_need_no_compilation_of_their_own() -> None:
    for decoder in DECODERS:
        for both in (False, True):
            decode(decoder, both, writeable=True)
    heard = Compilations()
    with event.install_listener("numba:compile", heard):
        for decoder in DECODERS:
            for both in (False, True):
                decode(decoder, both, writeable=False)
    assert heard.kernels == []


def test_functions_of_others_that_belong_to_no_module_are_compiled_as_ever() -> None:
    names: dict[str, Any] = {}
    exec("def nothing(): return 0", names)
    assert names["nothing"].__module__ is None
    importlib.import_module("coverset.compilation")
    assert njit(names["nothing"])() == 0
