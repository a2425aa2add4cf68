"""The memory type of a rule: a table of cues, first match wins.

| order | type | cue |
|---|---|---|
| 2 | error_pattern | "if you see …Error", "fails with"; a troubleshooting heading over a named error |
| 3 | gotcha | "careful", "beware", "note:", "known issue"; "don't … because"; a heading such as Gotchas |
| 4 | decision | "we chose", "by design"; "because" without an order; a heading such as Decisions |
| 5 | requirement | "must", "always", "never", "required", "do not"; a heading such as Hard rules |
| 6 | preference | "prefer", "avoid", "instead of", "rather than", "should" |
| 7 | module_insight | a location: "`src/x`: …", "is responsible for", a drawn tree |
| 8 | pattern | commands to build, run, test or release; an example in code |
| 9 | preference | starts with "use", "keep", "follow", "name", …; a heading such as Code style |
| 10 | module_insight | a heading such as Architecture; a statement ("the loop retries") |
| 11 | pattern, else the file's default | a heading such as Commands; the default is preference |
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.core.fences import without_code
from remora.sources.rule_sense import is_imperative
from remora.sources.word_patterns import any_of, cue, whole

_ERROR_NAME = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\bE(?:NOENT|CONNREFUSED|ADDRINUSE)\b|\bSIGSEGV\b")
_ERROR = cue(
    r"\b(?:if|when) (?:you|it|this|the \w+|tests?)\b.{0,40}\b(?:sees?|gets?|hits?|encounters?|fails? with)\b",
    r"\bfails? with\b",
)
_TROUBLE_HEADING = cue(whole(r"troubleshoot\w* common.errors? error.messages? known.errors? common.issues?"))
_GOTCHA = cue(
    rf"^\W*{any_of('warning caution careful beware gotchas? caveats? pitfalls? note heads.?up watch.out')}\b",
    whole(r"""
        be.careful be.very.careful beware gotcha caveat pitfall watch.out note.that keep.in.mind
        foot-?gun quirk known.(?:issue|bug|limitation|problem)s? work-?around surpris\w+
        counter-?intuitive \w+.silently silently.(?:fail|drop|break|skip|overwrit|los)\w*
        easy.to.(?:miss|forget) will.(?:break|crash|hang|deadlock|fail) does(?:n't|.not).work won't.work
        flaky
    """),
    r"\b(?:don't|do not|avoid)\b.{0,200}"
    r"\b(?:because|otherwise|since it|causes?|or (?:it|they|the|you|else))\b",
)
_GOTCHA_HEADING = cue(
    whole(r"""
        gotchas? pitfalls? caveats? known.(?:issues?|bugs?|limitations?|quirks?) quirks foot-?guns
        traps? common.(?:mistakes?|problems?) anti-?patterns? limitations things.to.(?:know|avoid)
        warnings? lessons.learned
    """)
)
_DECISION = cue(
    r"\bwe (?:chose|decided|opted|picked|settled|went with|moved|rejected|deliberately|intentionally)\b",
    whole(r"""
        decided.(?:to|on|against) (?:key|design|architectur\w+).decisions? decision: rationale by.design
        chosen.(?:because|for|over) the.reason.(?:is|we|for)
        (?:is|are|was|were).(?:deliberately|intentionally) on.purpose ADR[-.]?\d+
    """),
)
_REASON = cue(r"\bbecause\b")
_DECISION_HEADING = cue(
    whole(r"decisions decision.(?:log|records?) rationale adrs? design.choices trade-?offs why.(?:we|not)")
)
_REQUIREMENT = cue(
    whole(r"""
        must always never required mandatory shall forbidden prohibited not.allowed non-negotiable
        no.exceptions under.no.circumstances make.sure has.to have.to may.only may.not only.ever
        strictly
    """),
    r"(?:^|[.;:!?(–—]\s*|\n[^\S\n]*)(?:(?:do not|don't|ensure|critical)\b|important:)",
    r"^\W*(?:no|only|required)\b",
    r"\bbefore (?:committing|pushing|submitting|opening|merging|every commit|you commit|finishing)\b",
)
_REQUIREMENT_HEADING = cue(
    whole(r"""
        hard.rules? critical constraints? requirements? mandatory must never non-negotiables? do.not
        don'?ts? forbidden prohibited definition.of.done boundaries
    """)
)
_PREFERENCE = cue(
    whole(r"""
        prefer\w* favou?r avoid instead.of rather.than over\s\w+ing should shouldn't recommended
        encouraged discouraged ideally whenever.possible where.possible try.to
    """),
    r"\b(?:use|choose) \S+,? not\b",
)
_STYLE_HEADING = cue(
    whole(r"""
        style conventions? preferences? guidelines? standards? naming formatting best.practices?
        principles? philosophy tone communication practices
    """)
)
_COMMAND = re.compile(
    r"(?:`|^\$ ?|^)(?:sudo |[A-Z_]+=[^\s`]+ )*"
    + any_of(r"""
        npm pnpm yarn bunx? npx pip3? pipx uvx? poetry pytest tox nox make just cargo mvn gradle
        \./\w[\w./-]* go.(?:test|run|build|vet|mod|generate|install) docker docker-compose kubectl helm
        git.\w+ gh.\w+ ruff mypy black eslint prettier tsc jest vitest playwright rails bundle rake
        bin/\w+ composer php dotnet swift xcodebuild flutter dart mix sbt bazel cmake ninja terraform
        ansible\S* python3? node deno ruby bash sh task turbo nx lerna pre-commit hatch pdm rye conda
        curl psql aws gcloud
    """)
    + r"(?: |`|$)",
    re.MULTILINE,
)
_COMMAND_HEADING = cue(
    whole(r"""
        commands? build\w* run(?:ning)? quick.?start getting.started set-?up install\w* development
        scripts? how.to usage cli deploy\w* release workflow examples? patterns? recipes? testing tests?
    """)
)
_PLACE = cue(
    r"^\W{0,8}`[\w@.*{},<>\[\]-]*[/.][\w@./*{},<>\[\]-]*`\s*(?:[-–—:→=(]|(?:is|are|has|contains?|holds?|provides?)\b)",
    r"^\W{0,8}[\w@.-]+/[\w@./*-]*\s*(?:[-–—:→]|contains?\b|holds?\b)",
    r"\b(?:is|are) (?:responsible for|split into|organi[sz]ed)\b",
    r"\b(?:located|found|defined|implemented|stored) in\b",
    r"\b(?:lives?|resides?|sits?) (?:in|under|at)\b",
    r"[├└│]",
)
_PLACE_HEADING = cue(
    whole(r"""
        architect\w* structure layout director(?:y|ies) folders? overview modules? components? packages?
        code.?base organi[sz]ation key.files? files? where.(?:things|to.find) map repository
        tech(?:nology)?.stack stack about purpose project data.?flow services? dependencies schema
        models? concepts? glossary terminology references? current.state status roadmap technologies
    """)
)
_STATEMENT = re.compile(
    r"^[^\w`]*+(?!(?:If|When|For|To|In|On|Before|After|With|Once)\b)(?:(?:The|An?|Each|All|Every|This|These|Its?|Both|Some|Only)\s)?(?:`[^`]+`|[\w'’().-]+)(?:\s(?:`[^`]+`|[\w'’().-]+)){0,5}?\s"
    + any_of(r"""
        is are was has have uses? returns? supports? provides? handles? contains? includes? runs? holds?
        gets? takes? follows? implements? manages? stores? reads? writes? calls? creates? sends?
        defines? works? means? gains? can requires? exports? extends? serves? lives? knows? keeps? maps?
        comes? consists? produces? receives? triggers?
    """)
    + r"\b"
)


def memory_type(text: str, headings: Sequence[str] = (), *, default: str = "preference") -> str:
    """Return the memory type of a rule that is no procedure.

    Args:
        text: of the rule.
        headings: those above it, outermost first.
        default: the type if no cue matches.
    """
    prose = without_code(text)  # code is full of misleading words
    near = " > ".join(headings[-2:])
    if _ERROR_NAME.search(text) and (_ERROR.search(prose) or _TROUBLE_HEADING.search(near)):
        return "error_pattern"
    if _GOTCHA.search(prose) or _GOTCHA_HEADING.search(near):
        return "gotcha"
    ordered = bool(_REQUIREMENT.search(prose))
    if _DECISION.search(prose) or _DECISION_HEADING.search(near) or (_REASON.search(prose) and not ordered):
        return "decision"
    if ordered or _REQUIREMENT_HEADING.search(near):
        return "requirement"
    return _by_form(text, prose, near) or default


def guess_type(text: str) -> str:
    """Return the memory type suggested by the wording of a statement, "pattern" if none is.

    >>> guess_type("Never commit to main without a review")
    'requirement'
    """
    return memory_type(text, default="pattern")


def _by_form(text: str, prose: str, near: str) -> str:
    """Return the type of a rule that neither warns nor orders, "" if its form is ambiguous."""
    if _PREFERENCE.search(prose):
        return "preference"
    if _PLACE.search(text):
        return "module_insight"
    if _COMMAND.search(text) or (prose != text and not _PLACE_HEADING.search(near)):
        return "pattern"
    if is_imperative(prose) or _STYLE_HEADING.search(near):
        return "preference"
    if _PLACE_HEADING.search(near) or _STATEMENT.search(prose):
        return "module_insight"
    return "pattern" if _COMMAND_HEADING.search(near) else ""
