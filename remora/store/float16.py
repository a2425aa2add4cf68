"""Storage format of vectors: float16, half the bytes of the models' float32."""

from __future__ import annotations


def half(blob: bytes) -> bytes:
    """Return little-endian float32 numbers as float16; those of unit vectors keep three digits."""
    import numpy as np  # hooks open databases and store no vectors

    return np.frombuffer(blob, "<f4").astype("<f2").tobytes()
