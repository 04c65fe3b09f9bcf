"""Importing is cheap, and the first answer comes soon."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.strip()


def test_import_brings_in_nothing_heavy_but_numpy() -> None:
    loaded = run("import sys, coverset; print(' '.join(sorted({m.split('.')[0] for m in sys.modules})))").split()
    heavy = {"numba", "llvmlite", "scipy", "sklearn", "torch", "onnxruntime", "tokenizers", "typer", "rich"}
    assert "numpy" in loaded
    assert not heavy & set(loaded)


def test_what_is_imported_when_asked_for_is_listed_all_the_same() -> None:
    assert {"Retriever", "Client", "NNN"} <= set(run("import coverset; print(*dir(coverset))").split())


def test_import_takes_less_than_0_3_seconds_over_numpy() -> None:
    code = """
        import time, numpy
        start = time.process_time()
        import coverset
        print(time.process_time() - start)
    """
    assert min(float(run(code)) for _ in range(3)) < 0.3


def test_first_decode_takes_less_than_2_seconds_of_a_core_once_compiled_code_is_cached() -> None:
    code = """
        import time
        import numpy as np
        corpus = np.random.default_rng(0).standard_normal((3000, 32)).astype(np.float32)
        start = time.process_time()
        from coverset import NNN
        NNN(l1=0.1, l2=0.1).decode_batch(corpus[:4], corpus)
        NNN(l1=0.1, l2=0.1).decode(corpus[0], corpus[:100])
        print(time.process_time() - start)
    """
    run(code)
    assert min(float(run(code)) for _ in range(3)) < 2.0


def test_serving_an_agent_does_without_the_framework_of_the_service() -> None:
    code = """
        import sys
        import coverset.integrations.mcp.server, coverset.server.keys, coverset.server.listening
        print("fastapi" in sys.modules)
    """
    assert run(code) == "False"


def test_it_works_where_compiled_code_cannot_be_cached() -> None:
    code = """
        import logging, sys
        from numba.core.caching import CacheImpl
        CacheImpl._locator_classes = []
        import numpy as np
        import coverset.solvers.exact, coverset.indexes.oracle
        from coverset import Dense
        logging.basicConfig(level="INFO", stream=sys.stdout, format="%(message)s")
        print(Dense().decode([1.0, 0.0], np.eye(2), k=1).ids[0])
    """
    assert run(code).splitlines() == ["compiling, once for this machine: up to half a minute", "0"]


def test_kernels_are_forgotten_when_a_source_beside_them_is_newer(tmp_path: Path) -> None:
    from coverset.compilation import discard_stale

    (tmp_path / "__pycache__").mkdir()
    source, other, kept = tmp_path / "a.py", tmp_path / "b.py", tmp_path / "__pycache__" / "b.nbi"
    for age, file in enumerate((source, other, kept)):
        file.touch()
        os.utime(file, (1000 + age, 1000 + age))
    discard_stale(tmp_path)
    assert kept.exists()
    os.utime(source, (2000, 2000))
    discard_stale(tmp_path)
    assert not kept.exists()
