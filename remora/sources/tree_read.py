"""Classify a file of a project by its path and by its bytes, and read it safely.

A folder of third-party code is left out as a whole. Some names always mean that (node_modules); others may
also be an ordinary name: `vendor` counts only at the top, beside a manifest, or among static files. Folders
are derived from the list of paths, without disk access.

A project can come from anywhere and can change at any moment. So the path to a file is opened folder by
folder without following a symbolic link (a link swapped in between listing and reading leads nowhere), a pipe
or a device is detected before it is opened and would not block if it appeared in between, and no more than
the limit is read. A file written meanwhile has another time afterwards, so the next run reads it again.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from remora.core.decoding import text_of

GENERATED = "generated"
VENDORED = "vendored"
MINIFIED = "minified"
TOO_LARGE = "too large"
BINARY = "binary"
UNREADABLE = "unreadable"
SYMLINK = "symlink"
SUBMODULE = "submodule"
NOT_A_FILE = "not a file"  # a pipe, a socket, a device, a folder
UNKNOWN_KIND = "unknown kind"
GONE = "gone"  # it was there when the files were listed


class LeftOut(NamedTuple):
    """A file left out; `why` is one of the reasons above."""

    path: str
    why: str


# Never the project's own text: not listed, not counted. Git leaves most of them out by itself.
PASSED_OVER = frozenset(
    ".git .hg .svn .bzr .jj CVS _darcs .fslckout __pycache__ .mypy_cache .ruff_cache .pytest_cache "
    ".hypothesis .tox .nox .eggs .ipynb_checkpoints .gradle .idea .vs .next .nuxt .svelte-kit "
    ".parcel-cache .turbo .terraform .dart_tool .build .cache .sass-cache .nyc_output .remora".split()
)
OTHERS_FOLDERS = frozenset(
    "node_modules bower_components jspm_packages web_modules site-packages dist-packages .venv .virtualenv "
    "__pypackages__ Pods Carthage third_party third-party thirdparty 3rdparty 3rd_party _vendor _vendored "
    "vendored Godeps .yarn .pnpm-store .bundle .cargo .rustup".split()
)
_MAYBE_OTHERS = frozenset(("vendor", "vendors"))
_MANIFESTS = frozenset(
    "go.mod composer.json gemfile package.json cargo.toml bower.json setup.py pyproject.toml".split()
)
_STATIC = frozenset(
    "static assets public wwwroot media js javascripts css stylesheets lib libs scripts".split()
)
_MARKS = {"pyvenv.cfg": VENDORED, "cachedir.tag": GENERATED, "cmakecache.txt": GENERATED}
_WRITTEN_FOLDERS = frozenset(("__snapshots__", "__generated__"))

_WRITTEN_NAMES = re.compile(
    r"""
    .*(
        _pb2(_grpc)?\.pyi? | \.pb(\.gw)?\.go | _grpc\.pb\.go | \.pb\.(h|cc|rs|dart) | \.pbobjc\.[hm]
      | _pb\.(js|d\.ts|ts|rb) | \.pb\.ts | _generated\.(go|rs|py|ts|js|cs|java|h|cpp)
      | \.generated\.\w+ | \.gen\.(go|rs|ts|tsx|js|py) | zz_generated\..*
      | \.(g|freezed|gr|config|mocks)\.dart | \.g\.(cs|i\.cs) | \.designer\.(cs|vb) | \.xaml\.g\.cs
      | -lock\.(json|ya?ml) | \.lock(b|file|\.hcl|\.json)? | \.snap | \.(js|css|mjs|cjs|ts)\.map
      | [.-]bundle\.(js|css|mjs) | \.chunk\.(js|css|mjs)
    )
    | go\.(work\.)?sum | npm-shrinkwrap\.json | package\.resolved | gradle\.lockfile | \.pnp\.c?js
    | (lextab|parsetab|yacctab)\.py
    """,
    re.VERBOSE,
)
_SMALL = re.compile(r".*[.-]min\.(js|css|mjs|cjs|html|json)")
_BINARY_ENDINGS = frozenset(
    "png jpg jpeg gif bmp ico icns webp avif heic tif tiff psd ai eps pdf mp3 mp4 m4a m4v ogg oga ogv wav "
    "flac aac avi mov mkv webm wmv woff woff2 ttf otf eot zip gz tgz bz2 xz zst lz4 7z rar tar jar war ear "
    "aar whl egg gem nupkg deb rpm apk ipa dmg iso img exe dll so dylib a lib o obj ko class pyc pyo pyd "
    "wasm node pdb ilk exp bin db sqlite sqlite3 mdb npy npz mat h5 hdf5 parquet arrow feather avro orc "
    "pkl pickle joblib pt pth onnx tflite safetensors ckpt gguf pb tfrecord doc docx xls xlsx ppt "
    "pptx odt ods odp mo gmo swf fla blend fbx glb stl keystore jks p12 pfx der scip".split()
)

HEAD_BYTES = 2_000
LONG_LINE = 1_000  # bytes; people write shorter lines, except in prose
LONG_MEAN = 200
SQUEEZED_LINE = 10_000
FEW_SPACES = 0.1  # prose and comments have one blank in six characters
# Letters outside ASCII count as blanks: prose in Chinese has long lines and no spaces.
_AIR = b" \t" + bytes(range(0x80, 0x100))

_WALKS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def _flags(*names: str) -> int:
    """Return the flags for opening a file that this system has."""
    return sum(getattr(os, name, 0) for name in names)


_FOLDER = _flags("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
_FILE = _flags("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")

# Text allowed before the first line of code: comments of most languages, a doc string, a few openings.
_PREAMBLE = re.compile(
    r"""(?:
      \s+
    | (?: \# | // | -- | ; | % | dnl\b | @?rem\b | \.\.\s ) [^\n]*
    | /\* .*? (?: \*/ | \Z)
    | <!-- .*? (?: --> | \Z)
    | \{- .*? (?: -\} | \Z)
    | \(\* .*? (?: \*\) | \Z)
    | [rRuU]? (?P<quotes> "{3} | '{3} ) .*? (?: (?P=quotes) | \Z)
    | <\? (?: php | xml ) [^\n]*
    | ["']use\ strict["'] ;?
    | package\s [\w.]+ ;?
    )*""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"""
      @generated\b
    | <auto-?generated
    | \b(generated|made)\b .{0,200}? \bdo\ not\ (edit|modify|change|touch)
    | \bdo\ not\ (edit|modify|change) .{0,120}? \b(auto-?|automatically\ |machine[ -])?generated
    | \b(this|the)\ (\w+[ ]){0,2}(file|code|module|class|source|document|header|script|parser|package)
        \ (is|was|has\ been|were)\ (auto-?|automatically\ |machine[ -]|programmatically\ )?generated
    | (^|[#/*\-;%!"'{(]\s*) (auto-?|automatically\ |machine[ -])generated\ (by|from|with|using|code|file)\b
    | \bgenerated\ (by|from)\b .{0,80}? \b(antlr|cython|swig|bison|flex|ply|thrift|protoc|protobuf|openapi|
        swagger|graphql|peg(\.?js)?|coffeescript|ragel|gperf|re2c|mockgen|sqlc|bindgen|the\ protocol\ buffer)
    | \ba\ bison\ parser\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def by_name(path: str) -> str | None:
    """Return the reason for leaving out a file by its name alone, None if there is none.

    >>> by_name("api/user_pb2.py"), by_name("app.min.js"), by_name("logo.png"), by_name("src/a.py")
    ('generated', 'minified', 'binary', None)
    """
    name = path.rpartition("/")[2].lower()
    if name.rpartition(".")[2] in _BINARY_ENDINGS and "." in name:
        return BINARY
    if _SMALL.fullmatch(name):
        return MINIFIED
    return GENERATED if _WRITTEN_NAMES.fullmatch(name) else None


class Folders:
    """The folders of a list of paths that are left out as a whole."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._with_manifest: set[str] = set()
        self._marked: dict[str, str] = {}
        self._known: dict[str, str | None] = {"": None}
        for path in paths:
            folder, _, name = path.rpartition("/")
            low = name.lower()
            if low in _MANIFESTS:
                self._with_manifest.add(folder)
            elif low in _MARKS and folder:
                self._marked[folder] = _MARKS[low]

    def left_out(self, folder: str) -> str | None:
        """Return the reason for leaving out a folder or one around it, None if there is none."""
        if folder not in self._known:
            parent, _, name = folder.rpartition("/")
            self._known[folder] = self.left_out(parent) or self._own(folder, parent, name)
        return self._known[folder]

    def _own(self, folder: str, parent: str, name: str) -> str | None:
        if name in OTHERS_FOLDERS:
            return VENDORED
        if name in _WRITTEN_FOLDERS:
            return GENERATED
        if name in _MAYBE_OTHERS and (
            not parent or parent in self._with_manifest or parent.rpartition("/")[2].lower() in _STATIC
        ):
            return VENDORED
        return self._marked.get(folder)


def read(root: Path, path: str, limit: int) -> bytes | LeftOut:
    """Return the bytes of a file of the project, or the reason for leaving it out.

    Args:
        root: the project's folder; it may itself be reached through a link.
        path: relative to it, with "/"; a path out of the root is refused.
        limit: bytes; a larger file is left out, and no more than that is read.
    """
    parts = path.split("/")
    if not path or any(part in ("", ".", "..") or "\0" in part for part in parts):
        return LeftOut(path, NOT_A_FILE)
    try:
        found = _read_inside(root, parts, limit)
    except (OSError, ValueError) as error:  # ValueError: a name the file system cannot spell
        found = _why(error)
    return found if isinstance(found, bytes) else LeftOut(path, found)


def _why(error: OSError | ValueError) -> str:
    code = getattr(error, "errno", None)
    if code == errno.ENOENT:
        return GONE
    if code in (errno.ELOOP, getattr(errno, "EMLINK", None)):
        return SYMLINK
    return NOT_A_FILE if code in (errno.ENXIO, errno.ENOTDIR, errno.EISDIR) else UNREADABLE


def _read_inside(root: Path, parts: list[str], limit: int) -> bytes | str:
    """Return a file's bytes or the reason against it."""
    if not _WALKS:
        return _read_by_path(root, parts, limit)
    folder = os.open(root, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        for part in parts[:-1]:
            if stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode):
                return SYMLINK
            deeper = os.open(part, os.O_RDONLY | _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = deeper
        why = _kind(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False), limit)
        if why:
            return why
        return _read_open(os.open(parts[-1], os.O_RDONLY | _FILE, dir_fd=folder), limit)
    finally:
        os.close(folder)


def _read_by_path(root: Path, parts: list[str], limit: int) -> bytes | str:
    """Do the same if a folder cannot be held open (Windows); a swapped-in link could be followed."""
    place = root
    for part in parts:
        place = place / part
        if place.is_symlink() or getattr(place, "is_junction", bool)():
            return SYMLINK
    why = _kind(place.lstat(), limit)
    return why or _read_open(os.open(place, os.O_RDONLY | _FILE), limit)


def _kind(status: os.stat_result, limit: int) -> str:
    if stat.S_ISLNK(status.st_mode):
        return SYMLINK
    if not stat.S_ISREG(status.st_mode):
        return NOT_A_FILE
    return TOO_LARGE if status.st_size > limit else ""


def _read_open(file: int, limit: int) -> bytes | str:
    try:
        status = os.fstat(file)
        if why := _kind(status, limit):
            return why
        data = bytearray()
        while (missing := status.st_size - len(data)) > 0 and (more := os.read(file, missing)):
            data += more
        return bytes(data)
    finally:
        os.close(file)


def by_content(data: bytes) -> str | None:
    """Return the reason for leaving out a source file by its content, None if there is none."""
    if binary(data):
        return BINARY
    if generated(data[:HEAD_BYTES]):
        return GENERATED
    return MINIFIED if minified(data) else None


def binary(data: bytes) -> bool:
    """Return whether bytes are binary: a NUL in the first 8,000, and no mark of UTF-16 or UTF-32."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return False
    return b"\0" in data[:8_000]


def generated(head: bytes) -> bool:
    """Return whether the header of a file declares it as generated.

    Only text before the first line of code counts, because a generator contains such a line too.

    >>> generated(b"// Code generated by mockgen. DO NOT EDIT."), generated(b'HEAD = "@generated"')
    (True, False)
    """
    before = _PREAMBLE.match(text_of(head[:HEAD_BYTES]))
    said = before[0].splitlines() if before else []
    # Two lines together: "This file was generated.\n Do not edit."
    return any(map(_WRITTEN.search, said)) or any(_WRITTEN.search(f"{a} {b}") for a, b in pairwise(said))


def minified(data: bytes) -> bool:
    r"""Return whether source is minified: very long lines, a long average line, few blanks.

    >>> minified(b"a=b(c);" * 500), minified(b"a = 1\n" * 500)
    (True, False)
    """
    lengths = sorted(map(len, data.splitlines()))
    if not lengths or len(data) / len(lengths) < LONG_MEAN or lengths[-1] < LONG_LINE:
        return False
    if lengths[len(lengths) // 2] < LONG_MEAN and lengths[-1] < SQUEEZED_LINE:
        return False  # formulas and tables among lines that people wrote
    return len(data) - len(data.translate(None, _AIR)) < FEW_SPACES * len(data)
