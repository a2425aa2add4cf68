r"""Find secrets by the name before them: `password = …`, `"api_token": "…"`, `--password …`.

A telling name and a link (`=`, `:`, `is`, a space after a flag, a pair of `name:` and `value:`) are
one pattern. The value after it is extracted, quoted or bare, and judged: `is_stand_in` knows
stand-ins for a password, namely masks, templates, types, references and words
about the password; `is_telling` and `looks_random` recognize the forms that only a secret has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from remora.core.secret_rules import PIECE, Find, View, compiled, line_start, looks_random
from remora.core.text import STOP_WORDS

_TYPES = (
    "str string bytes bytearray bool boolean int integer number float char varchar text uuid any"
    " unknown never object optional option secretstr securestring array list dict map set buffer field column"
    " charfield"
)
_HINTS = (
    "pass",
    "pwd",
    "psk",
    "pepper",
    "secret",
    "token",
    "credential",
    "auth",
    "bearer",
    "key",
    "kennwort",
    "senha",
)
_NAME = (
    r"(?P<noun>passw(?:or)?d|passphrase|passwort|kennwort|contraseña|senha|пароль|密码|パスワード|pwd"
    r"|psk|pass(?<=[_\"'-]pass)|pepper|secret|token|credentials?|auth|bearer|key)"
    r"(?:[_-]?(?:\d{1,3}|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test|live|local|val(?:ue)?|str(?:ing)?"
    r"|base64|b64|raw|plain|text|old|new|current|default|admin|root|encrypted))?"
)
_LINK = (
    r"[\\\"'`*\])]{0,6}+(?:"
    r"\s*+\??(?P<op>:=|={1,3}+>?|::?|：|\?=|\|\|=)[ \t]*+[*_]{0,3}+\s*+(?:[|>][-+]?\s++)?"
    r"|(?P<xml>>)"
    r"|(?P<pair>[\s,]{1,20}+(?:-\s{1,8}+)?[\\\"']{0,2}+value[\\\"']{0,2}+\s{0,4}+[:=]\s{0,4}+)"
    r"|(?P<comma>(?<=[\"']),[ \t]{0,8}+(?=[\\\"']))"
    r"|(?P<verb>\s{1,4}+(?:(?:of|for|to|on)\s(?:[\w.'-]{1,30}+\s?){1,5}?(?:(?<=\s)(?:is|was)\s{1,4}+|:\s{1,2}+)"
    r"|(?:is|was)\s{1,4}+)(?>(?:(?:now|set|still|currently|to)\s{1,4}+){0,2}):?\s{0,2}+)"
    r"|(?P<gap>[ \t]{1,8}+(?=\S)))"
)
_TYPED = (
    rf"(?:&(?:'\w+\s)?|\*)?(?:{'|'.join(_TYPES.split())})\b"
    r"(?:[\[<(][^\n=]{0,40}[\])>])?(?:\s?\|\s?\w+)?\s{0,4}=(?!=)\s{0,4}"
)
_OWNERS = tuple(
    """db database user smtp mail email mysql pg postgres sql redis mongo ftp sftp ssh root admin http
    https proxy basic auth login rabbitmq amqp ldap wifi vpn docker registry git sudo account
    app service key store api""".split()
)
_QUALIFIED_KEY = (
    r"(?:api|app|access|account|admin|aes|auth|client|consumer|cookie|db|decrypt(?:ion)?|deploy|encrypt(?:ion)?"
    r"|hmac|ingest|jwt|license|master|private|rest|root|secret|server|service|session|shared|signing|ssh|storage"
    r"|subscription|validation|webhook)[._ -]?key\Z"
)
_HARMLESS = r"(?:page|next|continuation|sync|cursor|cancel(?:lation)?|public(?:key)?)[._ -]?token\Z"
_QUOTE = r"(?:[frbuFRBU]{1,2}|[@$])?(\\*(?:\"\"\"|'''|[\"'`]))"
_NEXT_PAIR = (
    r"(?:[;,&]|\\[nrt])(?=[\"'\\]{0,2}[A-Za-z_][\w.-]{1,40}+[\"'\\]{0,2}\s?[=:])|\\[nrt](?=[\\\"'\s]|\Z)|</"
)
_GIVEN = r"(?:\b(?:with|and|us(?:e|ing)|set|export|via|by)|[,;:(])\s(?:(?:the|a|its) )?\Z"
_PLAIN = r"[\w+/.~%-]{6,1024}+={0,2}+(?![(\[])"
_SIGN_AHEAD = r"[\"']?[^\s\"']{0,80}?[0-9!#$%^&*]"
_LONGEST_QUOTED = 1024
_COMPARES = ("==", "===", "=>", "==>", "===>")
_TOKENS = frozenset(("secret", "pepper", "token", "credential", "credentials", "auth", "bearer", "key"))


class _Value(NamedTuple):
    start: int
    end: int
    quoted: bool


def assignments(view: View) -> Iterator[Find]:
    """Find values after a telling name. A run of characters is scanned once, whatever its content."""
    if view.low.isascii() and not any(hint in view.low for hint in _HINTS):
        return
    text, pattern = view.text, compiled(_NAME + _LINK)
    at = run_end = 0
    while name := pattern.search(view.low, at):
        at = name.end()
        if not _may_take_value(text, name):
            continue
        typed = compiled(_TYPED).match(view.low, at) if name["op"] else None
        begin = typed.end() if typed else at
        value = _quoted_value(text, begin)
        if value is None and name["noun"] in _TOKENS:
            plain = compiled(_PLAIN).match(text, begin)
            value = _Value(begin, plain.end(), quoted=False) if plain else None
        elif value is None and name["op"] not in _COMPARES:
            if begin >= run_end:
                space = compiled(r"\s").search(text, begin)
                run_end = space.start() if space else len(text)
            stop = text.find("<", begin, run_end) if name["xml"] else run_end
            value = _bare_value(text, begin, max(stop, begin))
        if value and value.end > value.start and _is_secret(view, name, value):
            kind = "secret" if name["noun"] in _TOKENS else "password"
            yield Find(value.start, value.end, 3000, kind)
            at = value.end


def _may_take_value(text: str, name: re.Match[str]) -> bool:
    """Return whether a name and its link can have a value at all; a cheap test, done first."""
    if name["gap"] and not _is_flag(text, name):
        return (
            name["noun"] not in _TOKENS
            and compiled(_GIVEN).search(_before(text, name, 12).lower()) is not None
        )
    if name["xml"]:
        return compiled(r"<[\w:.-]*\Z").search(_before(text, name, 48)) is not None
    if name["noun"] == "pwd" and _before(text, name, 2) == "$(":
        return False  # the working folder
    if name["noun"] == "psk":
        return not _before(text, name, 1).isalnum()
    if name["noun"] != "pass" or _owned(text, name):
        return True
    return bool(name["op"]) and compiled(_SIGN_AHEAD).match(text, name.end()) is not None


def _owned(text: str, name: re.Match[str]) -> bool:
    """Return whether a `pass` has an owner: `db_pass`, `--pass`; otherwise it may be a verb or a test run."""
    owner = _before(text, name, 12).lower()
    return owner[:-1].endswith(_OWNERS) or compiled(r"(?<!\S)--\Z").search(owner) is not None


def _before(text: str, name: re.Match[str], length: int) -> str:
    return text[max(name.start() - length, 0) : name.start()]


def _quoted_value(text: str, begin: int) -> _Value | None:
    """Return the text between quotes, which may be escaped or triple, on one line."""
    opening = compiled(_QUOTE).match(text, begin)
    if not opening:
        return None
    start = opening.end()
    stop = min(start + _LONGEST_QUOTED, len(text))
    line_end = text.find("\n", start, stop)
    stop = line_end if line_end >= 0 else stop
    close = text.find(opening[1], start, stop)
    return _Value(start, close, quoted=True) if close >= 0 else None


def _bare_value(text: str, begin: int, run_end: int) -> _Value | None:
    """Return the value that begins here and ends at a space, before the next `name=` or a closing sign."""
    while begin < run_end and text[begin] in "(*_\"'`":
        begin += 1
    following = compiled(_NEXT_PAIR).search(text, begin + 1, run_end)
    end = following.start() if following else run_end
    if text[end - 1 : end] == ":" and end - begin < 40 and text[begin : end - 1].isidentifier():
        return None
    while end > begin and text[end - 1] in ".,;:)]}>\"'`*\\" and not _closes(text, begin, end):
        end -= 1
    return _Value(begin, end, quoted=False)


def _closes(text: str, begin: int, end: int) -> bool:
    """Return whether a value's last character closes a bracket that it opened, as in `${NAME}`."""
    opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(text[end - 1])
    if opening is None or end - begin > _LONGEST_QUOTED:
        return False
    return text.count(opening, begin, end) >= text.count(text[end - 1], begin, end)


def _is_secret(view: View, name: re.Match[str], value: _Value) -> bool:
    """Judge a value by the name before it and by the link between them."""
    text = view.text[value.start : min(value.end, value.start + _LONGEST_QUOTED)]
    link = name.lastgroup
    if link == "gap" and text[0] == "-":
        return False
    if name["noun"] in _TOKENS:
        return len(text) >= 8 and _is_token(view, name, text, quoted=value.quoted)
    if is_stand_in(text, quoted=value.quoted):
        return False
    if name["noun"] == "pass" and not is_telling(text) and not _owned(view.text, name):
        return False
    if link in ("op", "xml", "pair") or (link == "gap" and _is_flag(view.text, name)):
        return not (_is_variable(view.text, name, value) or _is_next_line(view.text, name, value))
    if link == "verb":
        return is_telling(text) or (value.quoted and " " not in text)
    if is_telling(text):
        return True
    return link == "gap" and value.quoted and _before(view.low, name, 5) == "with "


def _is_token(view: View, name: re.Match[str], text: str, *, quoted: bool) -> bool:
    """Judge a value after `token`, `secret` and similar names: random, or short with a form of its own."""
    noun_end = name.end("noun")
    if not looks_random(text):
        variable = name["op"] == "=" and name.end() == name.end("op")
        variable = variable and view.text[name.start() : noun_end].isupper()
        if not (variable or name["gap"]) or not is_telling(text):
            return False
    title = view.low[max(noun_end - 28, 0) : noun_end]
    if name["noun"] == "key" and not compiled(_QUALIFIED_KEY).search(title):
        return False
    if compiled(_HARMLESS).search(title) or compiled(r"[^\x21-\x7e]|\][+*{]").search(text):
        return False
    return not is_stand_in(text, quoted=quoted or text[0] == "/")


def _is_flag(text: str, name: re.Match[str]) -> bool:
    """Return whether a name before a space takes it as its value: `--password x`, not `a password x`."""
    start = name.start()
    if name["noun"] == "bearer":
        return True
    if "--" not in text[max(start - 48, 0) : start]:
        return False
    while start > 0 and name.start() - start < 48 and (text[start - 1].isalnum() or text[start - 1] in "_-."):
        start -= 1
    return text.startswith("--", start) and text[name.start("gap") - 1] not in "\"'`*])\\"


def _is_variable(text: str, name: re.Match[str], value: _Value) -> bool:
    """Return whether name and value are variables: `user, password = pair`, `self.password = given`."""
    assigns = name[0].endswith((" = ", " := ")) and not value.quoted
    owned = _before(text, name, 5).endswith((", ", "self.", "this."))
    return assigns and owned and text[value.start : min(value.end, value.start + 200)].isidentifier()


def _is_next_line(text: str, name: re.Match[str], value: _Value) -> bool:
    """Return whether the value is other text of the next line: the body of an `if password:`, a paragraph."""
    link = text[name.end("noun") : value.start]
    if name.lastgroup != "op" or "\n" not in link:
        return False
    line = text[line_start(text, name.start()) : name.start()]
    statement = compiled(r"\b(?:if|elif|while|not|and|or|def|for|in|except)\b").search(line)
    alone = compiled(r"[\\\"'`*,;.)\]}]{0,4}[ \t]{0,8}(?:\r?\n|\Z)").match(text, value.end)
    return bool(statement or not alone or ")" in link or '"""' in link)


# Stand-ins

# A value that ends in one of these names a secret and is not one: `password=user_password`.
_NOUNS = frozenset(
    """password passwords passwd passphrase passcode passwort pwd pw pass secret secrets token tokens key keys
    apikey credential credentials creds auth hash hashed value""".split()
)
_ALONE = _NOUNS - {"secret", "secrets", "hash", "value", "key", "auth"}

# Words after `password:` in code and in prose that are not passwords.
_WORDS = STOP_WORDS.union(
    _TYPES.split(),
    """none null nil undefined nan true false yes empty unset missing required optional invalid
    incorrect wrong expired await async new lambda function func fn def return let const var
    self this super input prompt see ask kept lives stored hashed encrypted salted plain
    plaintext must needs may might always never use used uses using via get reset change changed
    rotate rotated update updated minimum maximum min max length confirm confirmation forgot
    show hide validation validate default prompted flag option requires options flags arguments
    parameters expected unicode import raise pass continue break else yield argument parameter
    variable field file files env environment manager policy authentication protected based""".split(),
)
_TEMPLATE = (
    r"\$?\{\{[^{}]*\}\}|[$#%]?\{[^{}]*\}|\$\([^()]*\)|\$(?:[A-Za-z_]\w*|\d\b)|%\([^()]*\)[sdr]|%\w+%|%[sdrvq@]"
    r"|@\w+@|<[\w .:,/|'-]*>|\[[\w .:,/|'-]*\]"
)
_SIGNS = r"[xX]{3,}|\W{0,3}[*•.#_…-]{2,}\W{0,3}|[\W_]{1,2}|\?+|(?:\\[nrt])+"
_PLACEHOLDER = (
    r"(?<![a-z])(?:change[ _-]?(?:me|this|it)|replace[ _-]?(?:me|this|with)|(?:enter|insert|put|set|add)[ _-]"
    r"(?:an?|the|your|here|in|via)|your|placeholder|example|redacted|masked|hidden|removed|omitted|to[ _-]?do"
    r"|tbd|fixme|here|not[ _-]set|dummy|fake|sample|xxx+)(?![a-z])"
)
_REFERENCE = (
    r"[&*!@]?[A-Za-z_$][\w$]*(?>(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*)"
    r"[(\[](?:[\"'\w)\]&*{\[:-]|\Z)"  # a call, an index
    r"|[&*!@]?[A-Za-z_$]++(?>(?:(?:\?\.|\.|::|->)[A-Za-z_$]+)+)\Z"  # a.b.c
    r"|(?:self|this|os|process|config|settings|env|args|req|request|ctx|options|props|state|data|form|body|cfg"
    r"|user|secrets|params|vars?|local|values)(?:\?\.|\.|->|::)[A-Za-z_]"
    r"|[A-Z][a-z]\w*<[\w&']|[A-Za-z_]\w*=>"  # a generic type, a function
    r"|[&*!][A-Za-z_]+\Z|:[a-z_]+(?:\Z|:)"  # a pointer, a bound parameter
    r"|[A-Z]+(?:_[A-Z]+)+\Z|[A-Za-z_]+:\Z"  # a constant, the next key
    r"|\$[A-Za-z_][\w:]*(?:->|\[|\{)|\$[A-Za-z_]+(?:\.[A-Za-z_]+)+\Z|arn:"
    r"|<[A-Za-z/!][\w-]*\Z|[$#%]?\{[^{}]*\}[\"'`]"  # markup, the rest of a format string
    r"|[{\[](?:\\?[\"']|[A-Za-z_]*\Z)|[=:>|&-]+[A-Za-z_]*\Z"  # a structure, an operator
)
_PATH = r"(?:~|\.{1,2})?/[\w.-]+/[\w./-]*|[A-Za-z]:[\\/].*"
_STRINGS = r"\"[^\"]*\"|'[^']*'|(?<=[(\[,])[\"'].*"
_ODD = r"[~^#%;]|.@"  # signs that a reference has only inside its strings
_TECHNICAL = (
    r"(?:sha|md|aes|rs|hs|es|ps|base|utf|rfc|ipv?|http|oauth|x|p|ed|tls|ssl|v|h|s|ec|python|py|node|log|web"
    r"|u?int|float|step|phase|line|issue|pr|test|version|user|db|env|level|tier|part|section|option)[-_]?\d{1,5}[a-z]{0,3}"
    r"|argon2\w{0,2}|pbkdf2|v?\d[\d.:/-]*|\d+[-_]?[a-z-]+|[\w/-]+\.[a-z]{1,5}"
)


def is_stand_in(value: str, *, quoted: bool) -> bool:
    """Return whether a text is a stand-in for a password.

    A quoted text is a value unless it is a mask, a template, an explicit placeholder, a message or a name. A
    bare text may also be a reference, a type or a word of prose.

    >>> is_stand_in("os.environ['PW']", quoted=False), is_stand_in("swordfish", quoted=False)
    (True, False)
    """
    if len(value) > 200:
        return False
    if compiled(_SIGNS).fullmatch(value):
        return True
    if not any(c.isalnum() for c in value):
        return not quoted
    if _is_template(value):
        return True
    lower = value.lower()
    if lower in _WORDS or "://" in value:
        return True
    plain = not any(c.isdigit() for c in value)
    if plain and (compiled(_PLACEHOLDER).search(lower) or _names_a_secret(value, quoted=quoted)):
        return True
    if compiled(_PATH).fullmatch(value) or compiled(r"\d|[~^]?\d+(?:\.\d+){1,3}").fullmatch(value):
        return True
    if quoted and " " in value:
        label = value[0].isupper() and all(c.isalpha() or c == " " for c in value)  # in any language
        return label or any(w in _WORDS or w in _NOUNS for w in compiled(r"[a-z]+").findall(lower))
    if quoted:
        return False
    if compiled(_ODD).search(compiled(_STRINGS).sub("", value)):
        return False
    return compiled(_REFERENCE).match(value) is not None


def _is_template(value: str) -> bool:
    """Return whether a text consists of placeholders and at most two signs: `${HOST}:${PORT:-80}`."""
    for _ in range(3):  # templates inside templates
        bare = compiled(_TEMPLATE).sub("", value)
        if bare == value:
            return False
        if len(bare) <= 2 and not any(c.isalnum() for c in bare):
            return True
        value = bare
    return False


def _names_a_secret(value: str, *, quoted: bool) -> bool:
    words = [w.lower() for w in compiled(PIECE).findall(value)]
    if not words or not compiled(r"[A-Za-z_.-]+").fullmatch(value):
        return False
    if quoted or len(words) == 1:
        return words[-1] in _ALONE
    return words[-1] in _NOUNS or not _ALONE.isdisjoint(words)


def is_telling(value: str) -> bool:
    """Return whether a single word is so unlike prose that it must be a value.

    >>> is_telling("swordfish"), is_telling("sha256"), is_telling("Sw0rdfish!")
    (False, False, True)
    """
    if len(value) < 6 or not any(c.isalpha() for c in value) or compiled(r"\s").search(value):
        return False
    if not compiled(r"[0-9!#$%^&*]").search(value):
        return False
    return not compiled(_TECHNICAL, ignore_case=True).fullmatch(value)
