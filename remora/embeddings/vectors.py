"""Vector arithmetic: check, truncate and normalise a model's vectors; convert to and from stored bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from remora.core.errors import InvalidInput, ProviderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST = 1e30  # beyond it squares overflow; real models stay below 1e3
LOOK = "Check that embedding.model is an embedding model, and that its server is the one in the settings."


def normalise(matrix: NDArray[Any]) -> NDArray[np.float32]:
    """Return the rows at length 1, float32; rows of zeros stay zeros.

    The length is computed in float64: float32 overflows on large numbers and loses small ones.
    """
    wide: NDArray[np.float64] = matrix.astype(np.float64)
    norms: NDArray[np.float64] = np.linalg.norm(wide, axis=-1, keepdims=True)
    norms[norms == 0.0] = 1.0
    scaled: NDArray[np.float32] = (wide / norms).astype(np.float32)
    return scaled


def checked(raw: Sequence[Any] | NDArray[Any], *, count: int, source: str) -> NDArray[np.float64]:
    """Return a server's vectors as a (count, length) matrix of finite numbers.

    Raises:
        ProviderError: a wrong count, unequal lengths, values that are not numbers, NaN or infinity.
    """
    try:
        matrix = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ProviderError(
            f"{source} returned vectors of unequal length, or values that are not numbers",
            hint=LOOK,
            status=200,
        ) from None
    if matrix.ndim != 2 or len(matrix) != count or not matrix.size:
        raise ProviderError(f"{source} did not return {count} vectors", hint=LOOK, status=200)
    if not (np.isfinite(matrix).all() and np.abs(matrix).max(initial=0.0) < LARGEST):
        raise ProviderError(
            f"{source} returned vectors with NaN, infinity or implausible numbers",
            hint="The model may be incompatible with its server; try another model or quantisation.",
            status=200,
        )
    return matrix


def finish(matrix: NDArray[Any], dims: int, *, source: str = "The model") -> NDArray[np.float32]:
    """Return an (n, k) matrix truncated to its first `dims` columns, each row normalised again.

    Truncation is valid for models trained for it (Matryoshka) and for k == dims, where it does nothing.

    Raises:
        ProviderError: k is smaller than `dims`.
    """
    if matrix.shape[1] < dims:
        raise another_length(matrix.shape[1], dims, source=source)
    return normalise(matrix[:, :dims])


def another_length(length: int, dims: int, *, source: str) -> ProviderError:
    """Return the error of vectors with another length than expected."""
    return ProviderError(
        f"{source} returned vectors of {length} numbers instead of {dims}",
        hint="The server may use another model under that name; check the model in the settings.",
        status=200,
    )


def to_blob(vector: NDArray[Any]) -> bytes:
    """Return a vector as little-endian float32 bytes.

    Raises:
        InvalidInput: it is not one flat vector of finite numbers.
    """
    if vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
        raise InvalidInput("Only a flat vector of finite numbers can be stored")
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def from_blob(blob: bytes, dims: int) -> NDArray[np.float32]:
    """Return the vector in little-endian float32 bytes, as a new (dims,) array.

    Raises:
        InvalidInput: the bytes are not `dims` finite numbers.
    """
    if len(blob) != 4 * dims:
        raise InvalidInput(f"A vector of {dims} numbers has {4 * dims} bytes, not {len(blob)}")
    vector = np.frombuffer(blob, dtype="<f4").astype(np.float32)
    if not np.isfinite(vector).all():
        raise InvalidInput("A stored vector contains NaN or infinity")
    return vector
