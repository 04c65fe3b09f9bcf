"""Documents kept in a folder: durable, versioned, safe with one writer and many readers."""

from coverset.store.documents import Document, DocumentError
from coverset.store.errors import BusyStoreError, DamagedStoreError, EncoderMismatchError, StorageError
from coverset.store.snapshot import Snapshot

__all__ = [
    "BusyStoreError",
    "DamagedStoreError",
    "Document",
    "DocumentError",
    "EncoderMismatchError",
    "Snapshot",
    "StorageError",
]
