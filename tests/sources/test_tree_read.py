"""One file is read whole or not at all, and told from others by its path and its content."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import pytest

from remora.sources import tree_read
from remora.sources.tree_read import (
    BINARY,
    GENERATED,
    GONE,
    MINIFIED,
    NOT_A_FILE,
    SYMLINK,
    TOO_LARGE,
    UNREADABLE,
    VENDORED,
    Folders,
    LeftOut,
    binary,
    by_content,
    by_name,
    generated,
    minified,
    read,
)  # fmt: skip

LIMIT = 1_000


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    """The bytes come as they are, up to and with the limit; an empty file is a file."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.py").write_bytes(b"x\r\n" * 10)
    (tmp_path / "full").write_bytes(b"x" * LIMIT)
    (tmp_path / "none").touch()
    assert read(tmp_path, "a/b/c.py", LIMIT) == b"x\r\n" * 10
    assert read(tmp_path, "full", LIMIT) == b"x" * LIMIT
    assert read(tmp_path, "none", LIMIT) == b""


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    """Fifty megabytes cost one look at the size."""
    with (tmp_path / "big.py").open("wb") as file:
        file.truncate(50_000_000)
    assert read(tmp_path, "big.py", LIMIT) == LeftOut("big.py", TOO_LARGE)


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Neither a linked file nor a linked folder on the way is read, nor a loop of links."""
    outside = tmp_path / "outside"
    root = tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (outside / "secret").write_text("s")
    (root / "file").symlink_to(outside / "secret")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to("loop")
    for path in ("file", "folder/secret", "loop", "loop/x"):
        assert read(root, path, LIMIT) == LeftOut(path, SYMLINK)
    (tmp_path / "door").symlink_to(outside)  # the project itself may be reached through a link
    assert read(tmp_path / "door", "secret", LIMIT) == b"s"


@pytest.mark.parametrize("path", ["", "../outside", "/etc/passwd", "a/../../b", "a//b", "./a", "a\0b"])
def test_no_way_leads_out_of_the_root(tmp_path: Path, path: str) -> None:
    """A path that is not plain is refused before the disk is asked."""
    assert read(tmp_path, path, LIMIT) == LeftOut(path, NOT_A_FILE)


def test_pipes_sockets_devices_and_folders_do_not_block(tmp_path: Path) -> None:
    """What is no file is said to be none, at once."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(tmp_path)  # a socket's path may have 100 characters only
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        for path in ("pipe", "socket", "folder", "pipe/x"):
            assert read(tmp_path, path, LIMIT) == LeftOut(path, NOT_A_FILE)
    assert read(Path("/dev"), "null", LIMIT) == LeftOut("null", NOT_A_FILE)


def test_what_is_gone_or_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a missing folder and an impossible name each have their reason."""
    assert read(tmp_path, "none.py", LIMIT) == LeftOut("none.py", GONE)
    assert read(tmp_path / "no", "none.py", LIMIT) == LeftOut("none.py", GONE)
    assert read(tmp_path, "x" * 300, LIMIT) == LeftOut("x" * 300, UNREADABLE)
    assert read(tmp_path, "\udcff\ud800", LIMIT) == LeftOut("\udcff\ud800", UNREADABLE)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EIO])
def test_what_the_system_refuses_is_unreadable(tmp_path, monkeypatch, number):
    """A file that is closed to us, or on a broken disk, is reported."""

    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    (tmp_path / "a").write_text("1")
    monkeypatch.setattr(os, "open", refuse)
    assert read(tmp_path, "a", LIMIT) == LeftOut("a", UNREADABLE)


def test_no_more_is_read_than_a_file_had_when_it_was_opened(tmp_path, monkeypatch):
    """Another process may append to it without end."""
    (tmp_path / "a").write_bytes(b"text")
    real = os.read

    def read_and_append(descriptor: int, count: int) -> bytes:
        with (tmp_path / "a").open("ab") as file:
            file.write(b"more")
        return real(descriptor, count)

    monkeypatch.setattr(os, "read", read_and_append)
    assert read(tmp_path, "a", LIMIT) == b"text"


def test_where_folders_cannot_be_held_open(tmp_path, monkeypatch):
    """The plain way gives the same answers."""
    monkeypatch.setattr(tree_read, "_WALKS", False)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_bytes(b"1")
    (tmp_path / "l").symlink_to("d")
    os.mkfifo(tmp_path / "pipe")
    assert read(tmp_path, "d/a", LIMIT) == b"1"
    assert [read(tmp_path, p, LIMIT) for p in ("l/a", "pipe", "no", "d/a/b")] == [
        LeftOut("l/a", SYMLINK), LeftOut("pipe", NOT_A_FILE), LeftOut("no", GONE),
        LeftOut("d/a/b", NOT_A_FILE),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "head",
    [
        "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a",
        "package a\n\n// Code generated by mockgen. DO NOT EDIT.",
        "/**\n * @generated SignedSource<<1>>\n */\nmodule.exports = 1",
        "#!/usr/bin/env python\n# This file was automatically generated by SWIG\nimport x",
        '"""Tables.\n\nThis module is auto-generated from the schema.\n"""',
        "// <auto-generated>\n//  tool\n// </auto-generated>\nnamespace A;",
        "# Autogenerated by Thrift Compiler (0.9.3)\n#\n# DO NOT EDIT UNLESS YOU ARE SURE",
        "# This file is generated.\n# Do not edit it by hand.\n",
        "/* A Bison parser, made by GNU Bison 3.8 */\n#define X",
        "<?php\n/* DO NOT EDIT - this is machine generated */",
        "# Generated from LaTeX.g4 by ANTLR 4.11.1\nfrom antlr4 import *",
    ],
)
def test_what_says_that_it_was_generated(head):
    """The usual lines of generators are known, in the comments before the code."""
    assert generated(head.encode())


@pytest.mark.parametrize(
    "head",
    [
        "HEADER = '''\\\n# Code generated by us. DO NOT EDIT.\n'''",
        "import os\n# This file was automatically generated by x\n",
        "# The ids are automatically generated by the database.\nclass A: pass",
        "# Reads files that were generated by hand.\n",
        "// Do not edit the list without a review.\nlet a = 1",
        "def generated(): pass",
        "",
    ],
)
def test_what_only_speaks_of_generating(head):
    """A generator's own source and a remark about it are no generated files."""
    assert not generated(head.encode())


def test_what_is_squeezed():
    """Minified code is; tables among written lines, prose and ordinary code are not."""
    code = b"function f(a,b){return a+b}var x=f(1,2);" * 400
    assert minified(code)
    assert minified(b"/*! lib v1\n * MIT\n */\n" * 4 + code)
    assert not minified(b"def f(a):\n    return a\n" * 400)
    assert not minified(b"def f(a):\n    return a\n" * 100 + b"X = [" + b"1,2," * 2_000 + b"]\n")
    assert not minified("Слово за слово. ".encode() * 900)
    assert not minified(b"One sentence follows the other in this paragraph. " * 200)
    assert not minified("一行很长的文字。".encode() * 500)
    assert not minified(b"")


def test_what_is_binary():
    """A NUL is the sign, unless the bytes say that they are UTF-16."""
    assert binary(b"\x7fELF\0\0")
    assert not binary("text".encode("utf-16"))
    assert not binary(b"caf\xe9")


def test_content_gives_the_first_reason():
    """Binary is asked before generated, generated before minified."""
    assert by_content(b"# @generated\n\0") == BINARY
    assert by_content(b"# @generated\n" + b"x=1;" * 5_000) == GENERATED
    assert by_content(b"x=1;" * 5_000) == MINIFIED
    assert by_content(b"x = 1\n") is None


NAMES = {
    GENERATED: [
        "api/user_pb2.py", "api/user_pb2_grpc.pyi", "a.pb.go", "a.pb.gw.go", "lib/a.g.dart",
        "lib/a.freezed.dart", "Form.Designer.cs", "package-lock.json", "yarn.lock", "Cargo.lock", "bun.lockb",
        "pnpm-lock.yaml", ".terraform.lock.hcl", "src/__tests__/a.test.js.snap", "app.js.map",
        "k8s/zz_generated.deepcopy.go", "go.sum", "schema.generated.ts", "ply/parsetab.py",
        "core/assumptions_generated.py",
    ],
    MINIFIED: ["jquery-3.7.1.min.js", "css/a.min.css"],
    BINARY: ["A.PNG", "x.tar.gz"],
    None: [
        "src/a.py", "lock.py", "src/locks/lock.go", "generated.py", "admin.js", "min.js", "bundle.js",
        "map.py", "Makefile", "README.md", "src/pb2.py", "designer.cs", "tests/test_snap.py", "a.b.c/file",
        "png", "src/zip",
    ],
}  # fmt: skip


@pytest.mark.parametrize("why", NAMES)
def test_what_a_name_tells(why):
    """Output of programs, minified and binary files are told by their names, in either case of letters."""
    assert {path: by_name(path) for path in NAMES[why]} == dict.fromkeys(NAMES[why], why)


def test_a_folder_of_others_is_left_out_from_its_top():
    """Everything below it is left out for the same reason."""
    folders = Folders(["web/node_modules/a/b/c.js", "web/a.js"])
    assert folders.left_out("web/node_modules/a/b") == VENDORED
    assert folders.left_out("web") is None
    assert folders.left_out("") is None


@pytest.mark.parametrize(
    ("paths", "folder", "expected"),
    [
        (["vendor/a.go"], "vendor", VENDORED),
        (["svc/go.mod", "svc/vendor/a.go"], "svc/vendor", VENDORED),
        (["app/static/vendor/x.js"], "app/static/vendor", VENDORED),
        (["shop/vendor/models.py"], "shop/vendor", None),  # the shop's vendors
        (["pip/_vendor/a.py"], "pip/_vendor", VENDORED),
        (["env/pyvenv.cfg", "env/lib/a.py"], "env", VENDORED),
        (["dist/app.3f9a1c2b.js"], "dist", GENERATED),
        (["web/build/static/main.js.map"], "web/build", GENERATED),
        (["build/tasks.js"], "build", None),  # build scripts
        (["build/background.js"], "build", None),
        (["__snapshots__/a.txt"], "__snapshots__", GENERATED),
        (["target/CACHEDIR.TAG", "target/debug/a.rs"], "target", GENERATED),
        (["CACHEDIR.TAG", "a.py"], "", None),
        (["pkg/pods/a.go"], "pkg/pods", None),
        (["ios/Pods/a.m"], "ios/Pods", VENDORED),
    ],
)
def test_which_folders_are_left_out(paths, folder, expected):
    """A word that may be the project's own counts only where other things say so too."""
    assert Folders(paths).left_out(folder) == expected
