"""Classify a file by its path alone: third-party, generated, build output.

A folder of third-party code is left out as a whole. Some names always mean that (node_modules); others may
also be an ordinary name: `vendor` counts only at the top, beside a manifest, or among static files. Folders
are derived from the list of paths, without disk access.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

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
CHANGING = "changing"  # it was written to each time it was read
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
_OUTPUT = frozenset(("dist", "build", "out"))
_WRITTEN_FOLDERS = frozenset(("__snapshots__", "__generated__"))

_WRITTEN = re.compile(
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
_BUNDLE = re.compile(
    r".*(\.(js|css|mjs|cjs)\.map|[.-](min|bundle|chunk)\.(js|css|mjs)|[.-](?=\w*\d)[0-9a-z_]{8,32}\.(js|css|mjs))"
)
_BINARY_ENDINGS = frozenset(
    "png jpg jpeg gif bmp ico icns webp avif heic tif tiff psd ai eps pdf mp3 mp4 m4a m4v ogg oga ogv wav "
    "flac aac avi mov mkv webm wmv woff woff2 ttf otf eot zip gz tgz bz2 xz zst lz4 7z rar tar jar war ear "
    "aar whl egg gem nupkg deb rpm apk ipa dmg iso img exe dll so dylib a lib o obj ko class pyc pyo pyd "
    "wasm node pdb ilk exp bin db sqlite sqlite3 mdb npy npz mat h5 hdf5 parquet arrow feather avro orc "
    "pkl pickle joblib pt pth onnx tflite safetensors ckpt gguf pb tfrecord doc docx xls xlsx ppt "
    "pptx odt ods odp mo gmo swf fla blend fbx glb stl keystore jks p12 pfx der scip".split()
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
    return GENERATED if _WRITTEN.fullmatch(name) else None


class Folders:
    """The folders of a list of paths that are left out as a whole."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._with_manifest: set[str] = set()
        self._marked: dict[str, str] = {}
        self._known: dict[str, tuple[str, str] | None] = {"": None}
        for path in paths:
            folder, _, name = path.rpartition("/")
            low = name.lower()
            if low in _MANIFESTS:
                self._with_manifest.add(folder)
            elif low in _MARKS and folder:
                self._marked[folder] = _MARKS[low]
            elif low.endswith((".map", ".js", ".css", ".mjs")) and _BUNDLE.fullmatch(low):
                self._mark_output(folder)

    def _mark_output(self, folder: str) -> None:
        """Mark the topmost build output folder that holds a bundle."""
        parts = folder.lower().split("/")
        top = next((i for i, part in enumerate(parts) if part in _OUTPUT), None)
        if top is not None:
            self._marked["/".join(folder.split("/")[: top + 1])] = GENERATED

    def left_out(self, folder: str) -> tuple[str, str] | None:
        """Return the topmost left-out folder around (or at) a folder, and the reason; or None."""
        if folder not in self._known:
            parent, _, name = folder.rpartition("/")
            above = self.left_out(parent)
            why = None if above else self._own(folder, parent, name)
            self._known[folder] = above or ((folder, why) if why else None)
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
