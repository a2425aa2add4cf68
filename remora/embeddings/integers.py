"""Let a model with 8-bit weights multiply them as integers, instead of widening them to 32-bit floats.

A model whose weights were only stored in 8 bits widens each matrix when it is loaded and multiplies floats:

    Cast(weights: int8) -> Mul(scales, one a column) -> MatMul(activations, ·)

Dynamic quantisation, as ONNX defines it, rounds the activations to 8 bits as well and needs no new weights:

    DynamicQuantizeLinear(activations) -> MatMulInteger(·, weights) -> Cast -> Mul(scale · scales)

Sums of integers are exact, so all processors should give the same vectors. Not all do: without a dot product
of bytes (AVX2 without VNNI) uint8 · int8 is added in pairs of 16 bits, and what is too large is cut off; in
ONNX Runtime 1.23 and 1.24 the tiles of AMX give wrong sums for two uint8. Weights may be shifted to uint8
(zero point 128) without changing a product, and `probe` holds what a runtime computes against the truth.

A table that is widened whole before rows of it are looked up fills memory with floats that nobody asks for.
The rows are looked up first, then widened: the same numbers, and the model loads in a third of the time.

One scale holds for all activations of a computation: a text has the same vector in any company only if it is
computed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from remora.core.protobuf import LEN, VARINT, fields, varint

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Numbers of fields in onnx.proto.
GRAPH = 7
NODE, INITIALIZER = 1, 5
INPUT, OUTPUT, OPERATOR, ATTRIBUTE = 1, 2, 4, 5
DIMENSION, TYPE, NAME, DATA = 1, 2, 8, 9
FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6  # types of tensors
OPSET = 17
ZERO_POINT = "remora_zero_point"
SHIFT = bytes(byte ^ 0x80 for byte in range(256))


class _Node(NamedTuple):
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    data: bytes  # the field, whole
    axis: int


class _Matrix(NamedTuple):
    weights: str
    scales: str


def integers(model: bytes, *, shift: bool) -> bytes:
    """Return a model in ONNX's format that multiplies 8-bit weights as integers and widens rows as needed.

    Args:
        model: with weights of the form above; without any it is returned as it is.
        shift: use uint8 for the weights, in place of int8.

    Raises:
        Damaged: it is no model.
    """
    head, graph, tail = _around_graph(model)
    nodes, initializers, rest = _parts(graph)
    made = {name: node for node in nodes for name in node.outputs}
    matrices = {id(node): found for node in nodes if (found := _matrix(node, made, initializers))}
    tables = {id(node): found for node in nodes if (found := _table(node, made, initializers))}
    if not matrices and not tables:
        return model
    weights = {found.weights for found in matrices.values()}
    widened = weights.union(found.weights for found in tables.values())
    quantised: set[str] = set()
    written: list[bytes] = []
    for node in nodes:
        if (found := matrices.get(id(node))) is not None:
            written += _product(node, found, quantised)
        elif (found := tables.get(id(node))) is not None:
            written += _looked_up(node, found)
        elif not widened.intersection(node.inputs) and not _widens(node, made, widened):
            written.append(node.data)
    for name, data in initializers.items():
        written.append(_field(INITIALIZER, _shifted(data) if shift and name in weights else data))
    written.append(_field(INITIALIZER, _zero_point(shift=shift)))
    return head + _field(GRAPH, b"".join((*written, *rest))) + tail


def probe(run: Callable[[bytes, NDArray[np.uint8]], NDArray[np.int32]], *, shift: bool) -> bool:
    """Return whether a runtime multiplies integers exactly, the largest ones and in many rows too.

    Args:
        run: runs a model on a (64, 384) matrix and returns its result.
        shift: as of `integers`.
    """
    random = np.random.default_rng(0)
    given = random.integers(0, 256, (64, 384), dtype=np.uint8)
    weights = random.integers(-127, 128, (384, 64), dtype=np.int8)
    given[:8], weights[:, :8] = 255, 127
    given[8:16], weights[:, 8:16] = 255, -127
    data = _field(NAME, b"w") + _number(TYPE, INT8) + _field(DATA, weights.tobytes())
    data = _number(DIMENSION, 384) + _number(DIMENSION, 64) + data
    nothing = _tensor("none", UINT8, b"\0")
    tensors = (_shifted(data) if shift else data, nothing, _zero_point(shift=shift))
    graph = (
        _node("MatMulInteger", ("x", "w", "none", ZERO_POINT), ("y",)),
        _field(2, b"probe"),
        *(_field(INITIALIZER, tensor) for tensor in tensors),
        _field(11, _described("x", UINT8, (64, 384))),
        _field(12, _described("y", INT32, (64, 64))),
    )
    model = _number(1, 8) + _field(GRAPH, b"".join(graph)) + _field(8, _number(2, OPSET))
    return bool(np.array_equal(run(model, given), given.astype(np.int32) @ weights.astype(np.int32)))


def _matrix(node: _Node, made: dict[str, _Node], initializers: dict[str, bytes]) -> _Matrix | None:
    """Return the weights of a product, if they are stored in 8 bits with a scale for each column."""
    found = _stored(node.inputs[1], made, initializers) if node.operator == "MatMul" else None
    columns = (1, _shape(initializers[found.weights])[1]) if found else ()
    return found if found and _shape(initializers[found.scales]) == columns else None


def _table(node: _Node, made: dict[str, _Node], initializers: dict[str, bytes]) -> _Matrix | None:
    """Return the table of a lookup of rows, if it is stored in 8 bits with a scale for each row."""
    by_rows = node.operator == "Gather" and node.axis == 0
    found = _stored(node.inputs[0], made, initializers) if by_rows else None
    rows = (_shape(initializers[found.weights])[0], 1) if found else ()
    return found if found and _shape(initializers[found.scales]) == rows else None


def _stored(name: str, made: dict[str, _Node], initializers: dict[str, bytes]) -> _Matrix | None:
    """Return what a value is widened from: Cast(weights: int8) -> Mul(·, scales)."""
    scaled = made.get(name)
    cast = made.get(scaled.inputs[0]) if scaled is not None and scaled.operator == "Mul" else None
    if scaled is None or cast is None or cast.operator != "Cast":
        return None
    found = _Matrix(cast.inputs[0], scaled.inputs[1])
    stored = found.weights in initializers and found.scales in initializers
    return found if stored and _type(initializers[found.weights]) == INT8 else None


def _widens(node: _Node, made: dict[str, _Node], weights: set[str]) -> bool:
    """Return whether a node scales weights that were widened."""
    cast = made.get(node.inputs[0]) if node.operator == "Mul" else None
    return cast is not None and not weights.isdisjoint(cast.inputs)


def _product(node: _Node, matrix: _Matrix, quantised: set[str]) -> Iterator[bytes]:
    given, (result,) = node.inputs[0], node.outputs
    rounded = (f"{given}_q", f"{given}_scale", f"{given}_zero")
    if given not in quantised:
        quantised.add(given)
        yield _node("DynamicQuantizeLinear", (given,), rounded)
    factors = (rounded[0], matrix.weights, rounded[2], ZERO_POINT)
    yield _node("MatMulInteger", factors, (f"{result}_sum",))
    yield _node("Cast", (f"{result}_sum",), (f"{result}_float",), _to_float())
    yield _node("Mul", (rounded[1], matrix.scales), (f"{result}_scales",))
    yield _node("Mul", (f"{result}_float", f"{result}_scales"), (result,))


def _looked_up(node: _Node, table: _Matrix) -> Iterator[bytes]:
    rows, (result,) = node.inputs[1], node.outputs
    yield _node("Gather", (table.weights, rows), (f"{result}_rows",))
    yield _node("Cast", (f"{result}_rows",), (f"{result}_float",), _to_float())
    yield _node("Gather", (table.scales, rows), (f"{result}_scales",))
    yield _node("Mul", (f"{result}_float", f"{result}_scales"), (result,))


# The format.


def _around_graph(model: bytes) -> tuple[bytes, bytes, bytes]:
    at = 0
    for number, kind, _, start, end in fields(model):
        if number == GRAPH and kind == LEN:
            return model[:at], model[start:end], model[end:]
        at = end
    return model, b"", b""


def _parts(graph: bytes) -> tuple[list[_Node], dict[str, bytes], list[bytes]]:
    """Return the nodes of a graph, its tensors by name, and all other fields."""
    nodes: list[_Node] = []
    initializers: dict[str, bytes] = {}
    rest: list[bytes] = []
    at = 0
    for number, _, _, start, end in fields(graph):
        whole, at = graph[at:end], end
        if number == NODE:
            nodes.append(_read(graph[start:end], whole))
        elif number == INITIALIZER:
            tensor = graph[start:end]
            initializers[_text(tensor, NAME)] = tensor
        else:
            rest.append(whole)
    return nodes, initializers, rest


def _read(node: bytes, whole: bytes) -> _Node:
    inputs, outputs, operator, axis = [], [], "", 0
    for number, _, _, start, end in fields(node):
        if number == INPUT:
            inputs.append(node[start:end].decode())
        elif number == OUTPUT:
            outputs.append(node[start:end].decode())
        elif number == OPERATOR:
            operator = node[start:end].decode()
        elif number == ATTRIBUTE and _text(node[start:end], 1) == "axis":
            axis = next((value for n, _, value, _, _ in fields(node[start:end]) if n == 3), 0)
    return _Node(operator, tuple(inputs), tuple(outputs), whole, axis)


def _text(message: bytes, number: int) -> str:
    return next((message[start:end].decode() for n, _, _, start, end in fields(message) if n == number), "")


def _type(tensor: bytes) -> int:
    return next((value for number, _, value, _, _ in fields(tensor) if number == TYPE), 0)


def _shape(tensor: bytes) -> tuple[int, ...]:
    shape: list[int] = []
    for number, kind, value, start, end in fields(tensor):
        if number == DIMENSION and kind == VARINT:
            shape.append(value)
        elif number == DIMENSION:  # packed
            shape += _packed(tensor[start:end])
    return tuple(shape)


def _packed(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = varint(data, at, len(data))
        yield value


def _shifted(tensor: bytes) -> bytes:
    """Return a tensor of int8 as one of uint8: 128 is added to each number."""
    written: list[bytes] = []
    at = 0
    for number, _, _, start, end in fields(tensor):
        whole, at = tensor[at:end], end
        if number == DATA:
            whole = _field(DATA, tensor[start:end].translate(SHIFT))
        elif number == TYPE:
            whole = _number(TYPE, UINT8)
        written.append(whole)
    return b"".join(written)


def _node(operator: str, inputs: tuple[str, ...], outputs: tuple[str, ...], attribute: bytes = b"") -> bytes:
    texts = [*((INPUT, name) for name in inputs), *((OUTPUT, name) for name in outputs), (OPERATOR, operator)]
    body = b"".join(_field(number, text.encode()) for number, text in texts)
    return _field(NODE, body + (_field(ATTRIBUTE, attribute) if attribute else b""))


def _to_float() -> bytes:
    """Return the attribute of a cast: name 1, integer 3, type 20 (2: an integer)."""
    return _field(1, b"to") + _number(3, FLOAT) + _number(20, 2)


def _described(name: str, type_: int, shape: tuple[int, ...]) -> bytes:
    """Return the description of an input or output: name 1, type 2 (of a tensor 1: element 1, shape 2)."""
    sizes = b"".join(_field(1, _number(1, size)) for size in shape)
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, type_) + _field(2, sizes)))


def _zero_point(*, shift: bool) -> bytes:
    return _tensor(ZERO_POINT, *((UINT8, b"\x80") if shift else (INT8, b"\0")))


def _tensor(name: str, type_: int, data: bytes) -> bytes:
    return _number(TYPE, type_) + _field(NAME, name.encode()) + _field(DATA, data)


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | LEN) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | VARINT) + _varint(value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))
