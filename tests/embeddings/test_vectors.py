"""Checks, cuts and bytes of vectors."""

from __future__ import annotations

import numpy as np
import pytest

from remora.core.errors import InvalidInput, ProviderError
from remora.embeddings.vectors import checked, finish, from_blob, normalise, to_blob


def test_finish_cuts_and_normalises_again():
    """The first numbers of a longer vector, at length 1; too few numbers cannot be made up."""
    found = finish(np.array([[3.0, 4.0, 12.0]]), 2)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[0.6, 0.8]], rtol=1e-6)
    with pytest.raises(ProviderError, match="2 numbers instead of 3"):
        finish(np.ones((1, 2)), 3, source="m at h")


def test_very_small_and_very_large_numbers_keep_their_direction():
    """The length is computed wide enough for both; a row of zeros does not become NaN."""
    given = np.array([[3e-30, 4e-30], [3e25, 4e25], [0, 0]])
    np.testing.assert_allclose(normalise(given), np.array([[0.6, 0.8], [0.6, 0.8], [0, 0]]), rtol=1e-6)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ([[1.0, 2.0], [1.0]], "unequal length"),
        ([["a", "b"], ["c", "d"]], "not numbers"),
        ([None, None], "did not return|not numbers|NaN"),
        ([[1.0, 2.0]], "did not return 2 vectors"),
        ([[1.0, float("nan")], [1.0, 1.0]], "NaN"),
        ([[1.0, 1e300], [1.0, 1.0]], "implausible"),
    ],
)
def test_what_is_no_list_of_finite_vectors_is_refused(raw, words):
    """Each way to be wrong has its words and names the source."""
    with pytest.raises(ProviderError, match=words) as caught:
        checked(raw, count=2, source="m at h")
    assert str(caught.value).startswith("m at h")


def test_bytes_are_little_endian_float32_and_come_back():
    """1.0 and -2.0 have known bytes; what was written is what is read."""
    assert to_blob(np.array([1.0, -2.0])) == b"\x00\x00\x80\x3f\x00\x00\x00\xc0"
    vector = np.random.default_rng(7).normal(size=384).astype(np.float32)
    back = from_blob(to_blob(vector), 384)
    np.testing.assert_array_equal(back, vector)
    back[0] = 5.0  # an array of its own, not a view of the bytes


@pytest.mark.parametrize("blob", [b"", b"\x00" * 7, b"\x00" * 12, b"\x00\x00\xc0\x7f" * 2])
def test_bytes_that_are_no_vector_are_refused(blob):
    """A wrong length and NaN are both errors, never a vector."""
    with pytest.raises(InvalidInput):
        from_blob(blob, 2)


@pytest.mark.parametrize("vector", [np.array([]), np.ones((2, 2)), np.array([np.nan])])
def test_what_is_no_vector_is_not_written(vector):
    """Only flat, finite vectors become bytes."""
    with pytest.raises(InvalidInput):
        to_blob(vector)
