"""A whole store in one file, and back: documents, vectors, decoder and what else a row holds, every row checked.

The file is an Arrow stream of the store's rows, as they are in its table, and after it the digest of all that. A
file that was cut or changed anywhere is refused before anything tries to make sense of it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coverset.extras import require
from coverset.plain import Foreign
from coverset.store import rows
from coverset.store.errors import DamagedStoreError
from coverset.store.opening import check_free
from coverset.store.table import Table

# Rows written at a time.
BATCH = 8192
# Bytes of the digest at the end of a file.
DIGEST = 32
TIMEOUT = 30.0


@dataclass(frozen=True)
class Backup:
    """What a file holds, or held before it was put back."""

    documents: int
    encoder: str
    version: int | None = None


def export_store(folder: Path, file: Path, *, replace: bool = False) -> Backup:
    """Write the newest version of a store to a file: whole, on disk when this returns, or not at all.

    Parameters
    ----------
    folder
        The store; it may be in use.
    file
        The file to write.
    replace
        Whether a file that is there may be replaced.
    """
    pa = require("pyarrow", "store")
    table = Table(folder, TIMEOUT)
    if not table.exists:
        raise FileNotFoundError(f"there is no store at {folder}")
    if file.exists() and not replace:
        raise ValueError(f"file must not exist yet, got {file}: choose another name, or --replace it")
    if not file.parent.is_dir():
        raise ValueError(f"file must be in a folder that exists, got {file}")
    found = table.read(None)
    dim = found.vectors.shape[1]
    head = rows.state_row(found.state, dim, words=found.counts is not None)
    documents = found.table.append_column(
        "vector", pa.FixedSizeListArray.from_arrays(pa.array(found.vectors.reshape(-1)), dim)
    )
    if found.counts is not None:
        for name, column in found.counts.columns().items():
            documents = documents.append_column(name, column)
    documents, schema = documents.select(head.schema.names).cast(head.schema), head.schema
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as aside:
        try:
            options = pa.ipc.IpcWriteOptions(compression="zstd")
            with pa.ipc.new_stream(aside, schema, options=options) as stream:
                stream.write_table(head)
                stream.write_table(documents, max_chunksize=BATCH)
            aside.flush()
            aside.write(_digest(Path(aside.name), os.path.getsize(aside.name)))
            aside.flush()
            os.fsync(aside.fileno())
            os.replace(aside.name, file)
        except BaseException:
            os.unlink(aside.name)
            raise
    return Backup(found.state.documents, found.state.encoder, found.number)


def import_store(file: Path, folder: Path, *, replace: bool = False) -> Backup:
    """Make a store of a file that `export_store` wrote; readers see it whole or not at all.

    Parameters
    ----------
    file
        The file.
    folder
        Where the store is to be.
    replace
        Whether a store that is there becomes what the file holds, as one version that open readers notice. It must
        have been made with the same encoder.
    """
    state, documents, dim = _read(file)
    table = Table(folder, TIMEOUT)
    if not table.exists:
        check_free(folder)
        _make(folder, state, documents, dim)
        return Backup(state.documents, state.encoder)
    if not replace:
        raise ValueError(f"folder must not be a store yet, got {folder}: choose another, or --replace it")
    now = table.outline()
    if now.state.words != state.words:
        raise ValueError(
            f"folder must be a store whose words are {state.words!r} like the file's, got {folder}, with "
            f"{now.state.words!r}: import into a new one"
        )
    if (now.state.encoder, now.state.fingerprint, now.dim) != (state.encoder, state.fingerprint, dim):
        raise ValueError(
            f"folder must be a store made with the encoder {state.encoder!r} like the file's, got {folder}, made "
            f"with {now.state.encoder!r}: import into a new one"
        )
    kept = set(documents["id"].to_pylist())
    gone = [identifier for identifier in now.documents["id"].to_pylist() if identifier not in kept]
    table.write(documents, gone, decoder=state.decoder, share=state.share)
    return Backup(state.documents, state.encoder, table.newest()[1])


def _make(folder: Path, state: rows.State, documents: Foreign, dim: int) -> None:
    """Make a store aside, and put it in its place when it is whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        table = Table(aside, TIMEOUT)
        table.create(replace(state, documents=0, digest=0), dim)
        if len(documents):
            table.write(documents, [])
        aside.chmod(0o755)
        if folder.exists():
            folder.rmdir()
        os.rename(aside, folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def _read(file: Path) -> tuple[rows.State, Any, int]:
    """Return the state, the documents' rows and the width of the vectors, all checked."""
    pa = require("pyarrow", "store")
    try:
        size = file.stat().st_size - DIGEST
        with file.open("rb") as source:
            source.seek(max(size, 0))
            if size < 0 or source.read() != _digest(file, size):
                raise ValueError("it is not what was written")
            source.seek(0)
            with pa.ipc.open_stream(source) as stream:
                everything = stream.read_all()
        dim = everything.schema.field("vector").type.list_size
        vectors = everything["vector"].combine_chunks().flatten().to_numpy().reshape(-1, dim)
        if (rows.digests(everything, vectors) != everything["digest"].to_numpy()).any():
            raise ValueError("a row is not what was written")
        state = rows.read_state(everything["meta"][0].as_py())
        documents = everything.slice(1)
        if everything["id"][0].as_py() != rows.STATE or state != state.of(documents["digest"].to_numpy()):
            raise ValueError(f"its {state.documents} documents are not all there")
    except FileNotFoundError:
        raise
    except (pa.ArrowException, ValueError, KeyError, AttributeError, IndexError, OSError) as error:
        raise DamagedStoreError(f"{file} is not a whole export of a store: {error}") from error
    return state, documents, dim


def _digest(file: Path, size: int) -> bytes:
    """Return the digest of the first so many bytes of a file."""
    digest = hashlib.blake2b(digest_size=DIGEST)
    with file.open("rb") as source:
        while size > 0 and (block := source.read(min(size, 1 << 20))):
            digest.update(block)
            size -= len(block)
    return digest.digest()
