"""What is no fault of the client is not blamed on it, and says nothing of what is inside."""

from __future__ import annotations

import errno
import os

import pytest

from coverset.encoders import EncoderError
from coverset.server.refusals import Refused, bad_input
from coverset.store import BusyStoreError, StorageError

FAULTS = [
    (BusyStoreError("/secret/place is busy"), 503, "busy"),
    (StorageError(errno.ENOSPC, "full, at the store /secret/place"), 507, "no_room"),
    (StorageError(errno.EFBIG, "full, at the store /secret/place"), 507, "no_room"),
    (StorageError(errno.EROFS, "read-only, at the store /secret/place"), 503, "storage"),
    (EncoderError("what 'words' returns must be finite"), 502, "encoder"),
    (ValueError("k must be a whole number"), 422, "invalid"),
]


@pytest.mark.parametrize(("fault", "status", "code"), FAULTS)
def test_every_fault_has_its_status(fault: Exception, status: int, code: str) -> None:
    with pytest.raises(Refused) as refused, bad_input():
        raise fault
    assert (refused.value.status_code, refused.value.code) == (status, code)
    assert "/secret" not in refused.value.detail
    if isinstance(fault, StorageError):
        assert os.strerror(fault.errno or 0) in refused.value.detail
