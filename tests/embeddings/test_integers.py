"""Integer arithmetic for a model with 8-bit weights: the same model, and only where the sums are right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from remora.core.protobuf import Damaged
from remora.embeddings import integers as arithmetic
from remora.embeddings import onnx
from remora.embeddings.integers import integers, probe
from remora.embeddings.onnx import OnnxEmbedder

TEXTS = ("Access tokens expire after 24 hours.", "The build runs on two cores.", "short", "日本語のテキスト")


@pytest.fixture(scope="module")
def bundled() -> bytes:
    """Return the weights of the installed package."""
    return OnnxEmbedder().check().read_bytes()


def _run(model: bytes, given: NDArray[np.uint8]) -> NDArray[np.int32]:
    found: NDArray[np.int32] = onnxruntime.InferenceSession(model).run(None, {"x": given})[0]
    return found


def _states(model: bytes) -> NDArray[np.float32]:
    ids = np.array([[101, 2023, 2003, 1037, 3231, 102]], dtype=np.int64)
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    found: NDArray[np.float32] = onnxruntime.InferenceSession(model).run(["last_hidden_state"], inputs)[0]
    return found


@pytest.mark.parametrize("shift", [False, True])
def test_the_products_are_those_of_the_weights(bundled: bytes, shift: bool) -> None:
    """Rounded activations move a state a little; the model is the same and no larger."""
    made = integers(bundled, shift=shift)
    assert made.count(b"MatMulInteger") == 36
    assert abs(len(made) - len(bundled)) < 10_000
    before, after = _states(bundled), _states(made)
    cosine = (before * after).sum(-1) / np.linalg.norm(before, axis=-1) / np.linalg.norm(after, axis=-1)
    assert cosine.min() > 0.95


def test_a_table_is_widened_row_by_row(bundled: bytes) -> None:
    """Where nothing is multiplied in integers the states are the same to the last bit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arithmetic, "_matrix", lambda *_: None)
        made = integers(bundled, shift=False)
    assert made.count(b"word_embeddings.weight_f") == 0
    assert np.array_equal(_states(made), _states(bundled))


def test_a_runtime_that_cuts_sums_off_is_found_out() -> None:
    """As AVX2 does with pairs of uint8 and int8; shifted weights are exact everywhere."""

    def cut(model: bytes, given: NDArray[np.uint8]) -> NDArray[np.int32]:
        right = _run(model, given)
        right[:8, :8] -= 1
        return right

    assert not probe(cut, shift=True)
    assert probe(_run, shift=True)


@pytest.fixture(scope="module")
def in_floats() -> NDArray[np.float32]:
    """Return the vectors of the texts, computed in floats."""
    return OnnxEmbedder(floats=True).embed_documents(TEXTS)


@pytest.mark.parametrize("right", [(), (True,), (False, True)])
def test_the_model_runs_in_what_is_exact(
    monkeypatch: pytest.MonkeyPatch, in_floats: NDArray[np.float32], right: tuple[bool, ...]
) -> None:
    """In int8, else in uint8, else in floats: the vectors are nearly the same."""
    asked: list[bool] = []

    def answers(_: Callable[..., Any], *, shift: bool) -> bool:
        asked.append(shift)
        return shift in right

    monkeypatch.setattr(onnx, "probe", answers)
    monkeypatch.setattr(onnx, "_loaded", {})
    found = OnnxEmbedder().embed_documents(TEXTS)
    assert asked == ([False] if False in right else [False, True])
    assert (found * in_floats).sum(axis=1).min() > 0.97


def test_a_model_without_such_weights_stays_as_it_is(tmp_path: Path) -> None:
    """There is nothing to multiply in integers; bytes that are no model are refused."""
    assert integers(b"", shift=True) == b""
    with pytest.raises(Damaged):
        integers(b"\x3a\xff", shift=True)
