"""The kinds of array that everything speaks of."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

# Embeddings and scores as they are kept; what is computed with them, to the solvers' precision.
Floats: TypeAlias = NDArray[np.float32]
Array: TypeAlias = NDArray[np.float64]
# Positions of rows.
Ids: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
# Ids of an index's own kind: whole numbers, or objects such as strings.
Keys: TypeAlias = NDArray[Any]
Kind = TypeVar("Kind", bound=np.generic)


def read_only(array: NDArray[Kind]) -> NDArray[Kind]:
    """Return a view that is only read from: what cannot be written to is another type to compiled code."""
    view: NDArray[Kind] = array.view()
    view.flags.writeable = False
    return view
