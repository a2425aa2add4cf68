"""A parser for shell command lines: programs, and the joints between them.

`if ! CI=1 pytest -q > log; then echo "$(git log)"; fi` has the programs `CI=1 pytest -q` and `echo …`, and
`git log` inside the latter. Nothing is expanded. Invalid input is parsed leniently: open quotes extend
to the end. The time is linear in the length of the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

_DEPTH = 30  # nesting of substitutions
_BLANK = re.compile(r"(?:[^\S\n]|\\\r?\n)+")
_JOINT = re.compile(r"&&|\|\||\|&|;;&?|;&|[;|&\n]")
_REDIRECT = re.compile(r"(?:\d{1,3}|\{\w{1,40}\})?(?:<<<|<<-?|<>|<&|<(?!\()|>>|>&|>\||>(?!\())|&>>?")
_PLAIN = re.compile(r"[^\s;|&<>()'\"\\$`]+")
_TEXT = re.compile(r"[^()}'\"\\$`]+")
_ANSI = re.compile(r"\$'(?>(?:[^'\\]|\\.)*)(?:'|\Z)", re.DOTALL)
_SINGLE = re.compile(r"'[^']*+(?:'|\Z)")
_BACKTICKS = re.compile(r"`((?>(?:[^`\\]|\\.)*))(?:`|\\?\Z)", re.DOTALL)
_SUMS = re.compile(r"\(\((?:[^()$`'\"]|\$(?!\()){0,300}\)\)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_QUOTED = re.compile(
    r"""'(?P<single>[^']*)(?:'|\Z)|"(?P<double>(?:[^"\\]|\\.)*)(?:"|\Z)|\\(?P<escaped>.|\Z)""", re.DOTALL
)
_ESCAPES = re.compile(r'\\(?:([$`"\\])|\n)')

KEYWORDS = frozenset("if then elif else fi for select while until do done case esac { } ! function".split())
_ENDS = frozenset("} done fi esac".split())  # redirections after them belong to the whole group
_PIPES = ("|", "|&")
_NEXT = (";", "\n", "")


class Line(NamedTuple):
    """A parsed command line, or the inside of a substitution.

    Attributes:
        text: as written.
        programs: in order.
        documents: the here-documents.
        grouped: whether it was in mere parentheses inside another program: PowerShell, or arithmetic.
    """

    text: str
    programs: tuple[Program, ...]
    documents: tuple[Document, ...]
    grouped: bool = False


class Document(NamedTuple):
    """A here-document, and the substitutions in it; none if its delimiter is quoted."""

    text: str
    inner: tuple[Line, ...]


class Span(NamedTuple):
    """The offsets of a program in a text: the joint before it, its variables, its words, and its end."""

    joint: int
    variables: int
    words: int
    end: int


class Program(NamedTuple):
    """A call of a program.

    Attributes:
        words: its name and arguments, as written, with quotes; empty if it has only variables.
        variables: those set for it, with values.
        joint: the operator between it and the program before: `&&`, `||`, `|`, `|&`, `;`, `&`, a newline.
        keywords: the shell keywords before it.
        inner: the substitutions in it, `$(…)`, `<(…)` and backticks.
        opens, closes: numbers of parenthesized shells that begin with it, and end.
        writes, adds: files that its output replaces, and those that it is appended to.
        reads: files that it reads by `<`.
        begins: whether a group in parentheses or braces begins with it.
        around: those of `writes` that get the output of such a group, which ends with it.
        span: its offsets in the text of the outermost line.
    """

    words: tuple[str, ...]
    variables: tuple[str, ...] = ()
    joint: str = ""
    keywords: tuple[str, ...] = ()
    inner: tuple[Line, ...] = ()
    opens: int = 0
    closes: int = 0
    writes: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    begins: bool = False
    around: tuple[str, ...] = ()
    span: Span = Span(0, 0, 0, 0)

    @property
    def piped(self) -> bool:
        """Whether its input comes from another program."""
        return self.joint in _PIPES


@lru_cache(maxsize=512)
def parse(text: str) -> Line:
    """Return a parsed command line.

    >>> [program.words for program in parse("if ! A=1 make -s; then echo 'a; b' | cat > c; fi").programs]
    [('make', '-s'), ('echo', "'a; b'"), ('cat',)]
    >>> parse('OUT="$(pytest -q)"').programs[0].inner[0].programs[0].words
    ('pytest', '-q')
    """
    return _Reader(text).line(0)


def plain(word: str) -> str:
    r"""Return a word without its quotes.

    >>> plain("'a b'"), plain('"say \\"x\\""'), plain("--a='b c'"), plain(r"\(")
    ('a b', 'say "x"', '--a=b c', '(')
    """
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return _QUOTED.sub(_without_quotes, word)


def _without_quotes(found: re.Match[str]) -> str:
    if found["double"] is not None:
        return _ESCAPES.sub(r"\1", found["double"])
    return found["single"] or (found["escaped"] or "").strip("\n")


def inside(line: Line) -> Iterator[Line]:
    """Yield the outermost substitutions of a line."""
    for held in (*(one.inner for one in line.programs), *(one.inner for one in line.documents)):
        yield from held


def _is_sum(line: Line) -> bool:
    """Return whether the inside of `$(…)` is arithmetic: its first parenthesis is closed at its end."""
    if not (line.text.startswith("(") and line.text.endswith(")")):
        return False
    opened = list(accumulate(one.opens - one.closes for one in line.programs))
    return all(count > 0 for count in opened[:-1])


def _in_sum(line: Line) -> Iterator[Line]:
    """Yield the substitutions in an arithmetic expression, including those in its parentheses."""
    for one in inside(line):
        if one.grouped:
            yield from _in_sum(one)
        else:
            yield one


class _Open:
    """The program that is being parsed."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.variables: list[str] = []
        self.keywords: list[str] = []
        self.inner: list[Line] = []
        self.writes: list[str] = []
        self.adds: list[str] = []
        self.reads: list[str] = []
        self.opens = 0
        self.begins = False
        self.start = self.first = self.end = -1

    def add(self, word: str, start: int, end: int) -> None:
        """Add a word or a variable."""
        self.start = start if self.start < 0 else self.start
        if self.words or not _ASSIGNMENT.match(word):
            self.first = start if not self.words else self.first
            self.words.append(word)
        else:
            self.variables.append(word)
        self.end = end


class _Programs:
    """The programs found so far, and the state before the next one."""

    def __init__(self) -> None:
        self.found: list[Program] = []
        self.open = _Open()
        self.joint = ""
        self.joined = 0  # offset of the joint
        self.ended = False  # a group has ended, and nothing follows it yet
        self.parentheses = self.cases = 0
        self.pattern = False  # a pattern of a case follows

    def close(self, closes: int = 0) -> None:
        """End the program that is being parsed."""
        one = self.open
        if one.words or one.variables:
            span = Span(self.joined, one.start, one.first if one.words else one.end, one.end)
            self.found.append(
                Program(
                    tuple(one.words),
                    tuple(one.variables),
                    self.joint if self.found else "",
                    tuple(one.keywords),
                    tuple(one.inner),
                    opens=one.opens,
                    closes=closes,
                    writes=tuple(one.writes),
                    adds=tuple(one.adds),
                    reads=tuple(one.reads),
                    begins=one.begins,
                    span=span,
                )
            )
            self.open, self.joint = _Open(), ""
            return
        if self.found:
            last = self.found[-1]
            # `> file` alone is no program, and may not run.
            adds, reads = (*last.adds, *one.writes, *one.adds), (*last.reads, *one.reads)
            self.found[-1] = last._replace(adds=adds, reads=reads, closes=last.closes + closes)
            one.writes, one.adds, one.reads = [], [], []

    def join(self, joint: str, at: int) -> None:
        """Add a joint between two programs; of several joints the most specific one counts."""
        self.close()
        self.ended = False
        if self.joint in _NEXT or joint not in _NEXT:
            self.joint, self.joined = joint, at

    def redirect(
        self, writes: Sequence[str], adds: Sequence[str], reads: Sequence[str], inner: list[Line]
    ) -> None:
        """Add files to the group that has just ended, or to the program that is being parsed."""
        if not (self.ended and self.found):
            self.open.writes += writes
            self.open.adds += adds
            self.open.reads += reads
            self.open.inner += inner
            return
        last = self.found[-1]
        self.found[-1] = last._replace(
            adds=(*last.adds, *adds),
            writes=(*last.writes, *writes),
            around=(*last.around, *writes),
            reads=(*last.reads, *reads),
            inner=(*last.inner, *inner),
        )

    def end(self) -> tuple[Program, ...]:
        """Return the programs; redirections and substitutions without a program become one without words."""
        self.close()
        if self.open.inner or self.open.reads:
            self.found.append(Program((), inner=tuple(self.open.inner), reads=tuple(self.open.reads)))
        return tuple(self.found)


class _Reader:
    """A parser that reads a text once, from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.open_ended = False  # a parenthesis was not closed, so none before it is

    def line(self, deep: int, closer: str = "") -> Line:
        """Return the programs up to their closing mark, which is not consumed."""
        begin, programs = self.at, _Programs()
        awaited: list[tuple[str, bool, bool]] = []
        documents: list[Document] = []
        while self._blank() and not (self._is(closer) and not (programs.parentheses or programs.pattern)):
            if self.text[self.at] == "#" and programs.open.words[:1] != ["[["]:
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif programs.pattern:
                self._pattern(programs, deep)
            elif programs.open.words[:1] == ["[["] and programs.open.words[-1] != "]]":
                self._condition(programs, deep)
            elif redirect := self._past(_REDIRECT):
                self._redirect(redirect, programs, awaited, deep)
            elif joint := self._past(_JOINT):
                programs.join(joint[:1] if joint[0] == ";" else joint, self.at - len(joint))
                programs.pattern = programs.cases > 0 and len(joint) > 1 and joint[0] == ";"
                if joint == "\n":
                    documents += [self._document(*mark, deep) for mark in awaited]
                    awaited = []
            elif self.text[self.at] == ")":
                self.at += 1
                programs.close(closes=1)
                programs.parentheses = max(0, programs.parentheses - 1)
                programs.ended = True
            elif self.text[self.at] == "(" and programs.open.words in ([], ["time"]):
                self._parenthesis(programs)
            else:
                self._word_of(programs, deep)
        return Line(self.text[begin : self.at], programs.end(), tuple(documents))

    def _is(self, mark: str) -> bool:
        return bool(mark) and self.text.startswith(mark, self.at)

    def _past(self, pattern: re.Pattern[str]) -> str:
        """Skip the match of a pattern here, and return it."""
        found = pattern.match(self.text, self.at)
        if not found:
            return ""
        self.at = found.end()
        return found[0]

    def _blank(self) -> bool:
        """Skip blanks; return whether anything follows."""
        self._past(_BLANK)
        return self.at < len(self.text)

    # Parts of a program

    def _parenthesis(self, programs: _Programs) -> None:
        one = programs.open
        if sums := self._past(_SUMS):
            one.add("((", self.at - len(sums), self.at)
            return
        self.at += 1
        programs.parentheses += 1
        one.keywords += one.words
        one.words.clear()
        one.opens += 1
        one.begins = True
        programs.ended = False

    def _word_of(self, programs: _Programs, deep: int) -> None:
        one, start = programs.open, self.at
        if one.words and self.text.startswith("()", self.at):  # f () { … }
            self.at += 2
            one.words.clear()
            one.keywords.append("function")
            return
        word = self._word(deep, one.inner)
        if one.words or one.variables or word not in KEYWORDS:
            if not one.words and word.endswith("()"):
                one.keywords.append("function")
            else:
                one.add(word, start, self.at)
                programs.ended = False
            return
        one.keywords.append(word)
        programs.ended = word in _ENDS
        one.begins = one.begins or word == "{"
        if word == "case":
            self._blank()
            self._word(deep, one.inner)
            programs.cases += 1
            programs.pattern = True
        elif word == "esac":
            programs.cases = max(0, programs.cases - 1)
        elif word in ("for", "select", "function"):
            self._head(one, deep, word)

    def _head(self, one: _Open, deep: int, keyword: str) -> None:
        """Skip the name of a loop and its list, or the name of a function."""
        if keyword != "function":
            while self._blank() and not self._is(";") and not self._is("\n"):
                if not self._past(_SUMS) and self._word(deep, one.inner) == "do":
                    return
        elif self._blank():
            self._word(deep, one.inner)

    def _pattern(self, programs: _Programs, deep: int) -> None:
        """Skip a pattern of a `case`, or the `in` before the first."""
        if self.text[self.at] == "\n":
            self.at += 1
            return
        if self._is(")"):
            self.at += 1
            programs.pattern = False
            return
        if self.text[self.at] in "(|;&<>":
            self.at += 1
            return
        if self._word(deep, programs.open.inner) == "esac":
            programs.open.keywords.append("esac")
            programs.cases = max(0, programs.cases - 1)
            programs.pattern, programs.ended = False, True

    def _condition(self, programs: _Programs, deep: int) -> None:
        """Parse a word of `[[ … ]]`, where `&&` and similar operators are words."""
        start = self.at
        if self.text[self.at] in ";\n":
            programs.join(self.text[self.at], self.at)
            self.at += 1
        elif self.text[self.at] in "&|<>()":
            self.at += 1
            programs.open.add(self.text[start : self.at], start, self.at)
        else:
            programs.open.add(self._word(deep, programs.open.inner), start, self.at)

    def _redirect(
        self, mark: str, programs: _Programs, awaited: list[tuple[str, bool, bool]], deep: int
    ) -> None:
        kind = mark.lstrip("0123456789")
        self._blank()
        inner: list[Line] = []
        word = self._word(deep, inner) if self._starts_word() else ""
        path = plain(word)
        if kind in ("<<", "<<-"):
            if word:
                awaited.append((path, path != word, kind == "<<-"))
            return
        sends = ">" in kind and path and not (kind == ">&" and (path.isdigit() or path == "-"))
        sent, appends = [path] if sends else [], ">>" in kind
        reads = [path] if kind == "<" else []
        programs.redirect([] if appends else sent, sent if appends else [], reads, inner)

    def _starts_word(self) -> bool:
        return self.at < len(self.text) and self.text[self.at] not in ";|&)\n"

    def _document(self, mark: str, quoted: bool, indented: bool, deep: int) -> Document:
        """Skip a here-document."""
        start, last = self.at, len(self.text)
        while self.at < len(self.text):
            begin = self.at
            end = self.text.find("\n", begin)
            end = len(self.text) if end < 0 else end
            line = self.text[begin:end].rstrip("\r")
            line = line.lstrip("\t") if indented else line
            self.at = min(end + 1, len(self.text))
            closed = deep and line.startswith(f"{mark})")  # its substitution ends in the same line
            if closed:
                self.at = self.text.index(mark, begin) + len(mark)
            if closed or line == mark:
                last = begin
                break
        text, inner = self.text[start:last], list[Line]()
        if not quoted and deep < _DEPTH:
            _Reader(text).within("", deep, inner)
        return Document(text, tuple(inner))

    # Parts of a word

    def _word(self, deep: int, inner: list[Line]) -> str:
        start = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            if self._past(_PLAIN) or self._quoted(char, deep, inner):
                continue
            if char in "<>" and self.text.startswith("(", self.at + 1):
                self.at += 1
                self._substitution(deep, inner)
            elif char == "(" and self.at == start:
                self._substitution(deep, inner, grouped=True)
            elif char == "(":
                self._parentheses(deep, inner)
            else:
                break
        self.at += self.at == start
        return self.text[start : self.at]

    def _quoted(self, char: str, deep: int, inner: list[Line]) -> bool:
        """Skip a quoted, escaped or substituted text here; return whether there is any."""
        if char == "'":
            self._past(_SINGLE)
        elif char == '"':
            self.at += 1
            self.within('"', deep, inner)
        elif char == "\\":
            self.at = min(self.at + 2, len(self.text))
        elif char == "$":
            self._dollar(deep, inner)
        elif char == "`":
            self._backticks(deep, inner)
        else:
            return False
        return True

    def within(self, closer: str, deep: int, inner: list[Line]) -> None:
        """Skip text with substitutions in it, and its closing mark."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == closer:
                self.at += 1
                return
            literal = closer != "}" and char in "'\""
            if not self._past(_TEXT) and (literal or not self._quoted(char, deep, inner)):
                self.at += 1

    def _dollar(self, deep: int, inner: list[Line]) -> None:
        self.at += 1
        if self._is("("):
            self._substitution(deep, inner)
        elif self._is("{"):
            self.at += 1
            if deep < _DEPTH:
                self.within("}", deep + 1, inner)
        elif self._is("'"):
            self.at -= 1
            self._past(_ANSI)

    def _backticks(self, deep: int, inner: list[Line]) -> None:
        found = _BACKTICKS.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        if deep < _DEPTH:
            inner.append(_Reader(found[1].replace("\\`", "`")).line(deep + 1))

    def _substitution(self, deep: int, inner: list[Line], *, grouped: bool = False) -> None:
        self.at += 1
        if deep < _DEPTH:
            line = self.line(deep + 1, ")")
            inner += _in_sum(line) if _is_sum(line) else (line._replace(grouped=grouped),)
            self.at += 1
        else:
            self._balanced()
        self.at = min(self.at, len(self.text))

    def _balanced(self) -> None:
        """Skip parentheses whose first one was read."""
        count = 1
        while count and self.at < len(self.text):
            count += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self.at += 1

    def _parentheses(self, deep: int, inner: list[Line]) -> None:
        """Skip parentheses in a word, as of an array; only the first one if it is not closed."""
        start, count = self.at, 1
        self.at += 1
        if self.open_ended:
            return
        kept = len(inner)
        while count and self.at < len(self.text):
            char = self.text[self.at]
            if self._past(_TEXT) or self._quoted(char, deep, inner):
                continue
            count += {"(": 1, ")": -1}.get(char, 0)
            self.at += 1
        if count:
            self.at, self.open_ended = start + 1, True
            del inner[kept:]
