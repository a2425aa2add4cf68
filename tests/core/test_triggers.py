"""At which commands and edits a statement is said again."""

from __future__ import annotations

import pytest

from remora.core.directive import directive
from remora.core.directive_patterns import patterns_of
from remora.core.edit_match import read_edit, writes
from remora.core.pattern_triggers import pattern_triggers
from remora.core.triggers import Trigger
from remora.shell.trigger_match import marks, read_line, sets_off
from tests.tables import table


def triggers_of(statement: str) -> list[Trigger]:
    """Return the triggers of a text."""
    found = patterns_of(directive(statement))
    return [trigger for patterns in found for trigger in pattern_triggers(patterns, "m")]


def at_line(statement: str, command: str, branch: str = "", ran: tuple[str, ...] = ()) -> bool:
    """Return whether a statement is said before a line of shell."""
    line = read_line(command)
    found = [one for one in triggers_of(statement) if (one.kind, one.key) in line.keys]
    done = [mark for earlier in ran for mark in marks(earlier)]
    return any(sets_off(line, one, branch, done) for one in found)


def at_edit(statement: str, path: str, added: str, removed: str = "") -> bool:
    """Return whether a statement is said before an edit."""
    edit = read_edit(path, added, removed)
    found = [one for one in triggers_of(statement) if (one.kind, one.key) in edit.keys]
    return any(writes(edit, one) for one in found)


@pytest.mark.parametrize(
    ("statement", "command", "silent"),
    [
        ("Use pnpm, not npm", "npm install lodash", "pnpm add lodash"),
        ("Use pnpm, not npm", "cd web && CI=1 npm ci", "grep npm README.md"),
        ("Never push to main", "git push origin main", "git push origin feature/main-menu"),
        ("Never push directly to `main`.", "git push origin main", "git push origin topic"),
        ("Never force push to `main` or `staging`", "git push -f origin staging", "git push origin staging"),
        ("Do not force-push.", "git push --force-with-lease", "git push"),
        ("Never again push to `main`", "git push origin main", "git push origin topic"),
        ("Do not amend commits that others have", "git commit --amend", "git commit -am x"),
        ("Do not push tags", "git push --tags", "git push"),
        ("Don't squash merge", "gh pr merge 3 --squash", "gh pr merge 3 --rebase"),
        ("Never run git push --force", "git push -f", "git push"),
        ("Always pass --locked to cargo build", "cargo build", "cargo build --locked"),
        ("Always run cargo build with --locked", "cargo build", "cargo build --locked"),
        ("Don't pass --force to git push", "git push --force", "git push"),
        ("Always use --no-ff when merging", "git merge topic", "git merge --no-ff topic"),
        ("Verwende niemals npm, sondern pnpm", "npm i", "pnpm i"),
        ("A job that does not need it must never use `docker`", "docker run x", "make job"),
        ("Don't run `npm run load`, use `npm run load:fake`", "npm run load", "npm run load:fake -- -n 1"),
        ("Never run `frobber sync --all`", "frobber sync --all now", "frobber sync"),
        (
            "Don't run `tofu destroy`, unless it is the playground (live/play)",
            "tofu destroy",
            "tofu -c=live/play destroy",
        ),
    ],
)
def test_a_command(statement: str, command: str, silent: str) -> None:
    """A statement is said at the command that it is about, and not at its neighbour."""
    assert at_line(statement, command)
    assert not at_line(statement, silent)


def test_a_kind_of_branch_is_the_target_of_a_push() -> None:
    """A step before another event excuses nothing here."""
    rule = "Never force-push to release branches; run `make lint` before each commit"
    assert at_line(rule, "git push -f origin release/1", ran=("make lint",))
    assert not at_line(rule, "git push -f origin topic")
    assert at_line(rule, "git commit -m x")
    assert not at_line(rule, "git commit -m x", ran=("make lint",))


def test_a_kind_of_branch_is_the_target_of_a_merge() -> None:
    """The target is the branch that is checked out; its name begins with the kind."""
    rule = "Never merge main into a release branch"
    assert at_line(rule, "git merge --no-edit main", branch="release/2.4")
    assert not at_line(rule, "git merge --no-edit main", branch="topic/release-notes")
    assert not at_line(rule, "git merge --no-edit fix/vat", branch="release/2.4")


@pytest.mark.parametrize(
    "rule",
    [
        "Don't add new dependencies without asking",
        "No new libraries",
        "Never introduce third-party packages",
        "Keine neuen Abhängigkeiten ohne Rückfrage",
        "Ask before you add a dependency",
    ],
)
def test_adding_a_dependency_is_an_event(rule: str) -> None:
    """Whatever the package manager; installing what is declared adds none."""
    for command in ("npm i -D left-pad", "cargo add serde", "uv pip install httpx", "go get example.org/x"):
        assert at_line(rule, command)
    for command in ("npm install", "npm i -g pnpm", "pip install -r requirements.txt", "pip install -e ."):
        assert not at_line(rule, command)


def test_a_dependency_that_is_passed_is_no_event() -> None:
    """Nor is one that is mocked, or needed."""
    for text in (
        "Check the manifest before using a library",
        "Never mock dependencies",
        "No global state, pass dependencies explicitly",
        "All deps are bundled",
    ):
        assert not at_line(text, "npm install left-pad")


def test_a_relative_import_is_of_its_target() -> None:
    """A package that is forbidden may be imported by another path."""
    rule = "Code in packages/api must never import from packages/web"
    assert at_edit(rule, "packages/api/src/a.ts", "import { b } from '../../web/src/b'")
    assert not at_edit(rule, "packages/api/src/a.ts", "import { b } from './web/b'")
    rule = "Never import `@acme/old-ui`"
    assert at_edit(rule, "a.ts", "import { b } from '@acme/old-ui'")
    assert not at_edit(rule, "a.ts", "import { b } from '@acme/ui'")


def test_what_is_no_longer_used_is_ruled_out() -> None:
    """It stands before the words for it."""
    assert at_edit("`moment` is not to be used any more", "a.ts", "import moment from 'moment'")


def test_a_word_of_a_phrase_is_no_name() -> None:
    """A phrase names nothing; a word for its kind may follow a name."""
    assert not at_edit("Never use service role keys in the browser", "web/a.ts", "service.start()")
    assert at_edit("Do not use the moment library", "web/a.ts", "import moment from 'moment'")


def test_what_is_not_to_be_thought_forbids_nothing() -> None:
    """Nor does an order of steps, or a purpose."""
    for text in (
        "Never assume that useCache is set",
        "Never stop before pushing",
        "Use a lock to avoid deadlocks",
        "A job never blocks",
    ):
        assert directive(text).forbids == ()


def test_what_an_event_makes_is_said_at_the_event() -> None:
    """The statement begins with it."""
    for rule in (
        "Git: Commit messages are in English",
        "Commits: use Conventional Commits",
    ):
        assert at_line(rule, "git commit -m x")
        assert not at_line(rule, "git status")
    assert at_line("PRs should include a summary", "gh pr create --fill")
    assert not at_line("PRs should include a summary", "gh pr comment 3 --body x")


def test_a_command_is_missed_without_its_flags() -> None:
    """Those that it is to be run with."""
    assert at_line("Run `cargo test --workspace` for all crates", "cargo test")


def test_code_is_no_end_of_a_clause() -> None:
    """Nor do its parentheses hold an aside."""
    assert at_edit("Never return `dict[str, Any]`", "a.py", "def f() -> dict[str, Any]:")
    assert at_edit("Never use `((count++))` in scripts", "a.sh", "((count++))")
    assert not at_edit("No `if (runtime === 'x')` branch", "a.ts", "if (ready) start()")


def test_what_stands_at_a_slash_alone_is_no_path() -> None:
    """As between two names in code."""
    assert directive("Use neither `Edit` / `Write` here").about == ()


def test_a_condition_ends_what_is_denied() -> None:
    """An event stands before it."""
    rule = "Do not merge while a review is open"
    assert at_line(rule, "gh pr merge 3")
    assert not at_line(rule, "gh pr view 3")
    assert directive("Never merge them into one source").forbids == ()


def test_a_part_is_not_denied() -> None:
    """As "not just" says."""
    assert directive("Check the callers, not just the tests").forbids == ()


def test_a_flag_is_missed_if_it_is_asked_for() -> None:
    """Not if a command with flags is only an example."""
    assert at_line("Always run `cargo test --locked`", "cargo test")
    assert not at_line("Check the version with `rustc --version`", "rustc main.rs")


def test_a_compound_with_a_hyphen_denies_nothing() -> None:
    """As "non-trivial" and "no-op" do not."""
    for text in ("Plan non-trivial pushes", "A no-op push is fine", "Comments explain non-obvious code"):
        assert directive(text).forbids == ()


def test_what_is_to_be_run_before_is_asked_for_until_it_ran() -> None:
    """What ran since the last change is not asked for again."""
    rule = "Run `make fmt` before each commit"
    assert at_line(rule, "git commit -m 'x'")
    assert not at_line(rule, "git commit -m 'x'", ran=("make fmt",))
    assert at_line(rule, "git commit -m 'x'", ran=("make test",))
    assert not at_line(rule, "git log --oneline")
    rule = "Always run `docker compose up -d queue` before the deploy"
    assert at_line(rule, "make deploy")
    assert not at_line(rule, "make deploy", ran=("docker compose up -d queue",))


def test_a_push_that_names_no_branch_pushes_the_one_that_is_checked_out() -> None:
    """A branch is protected from `git push` alone, too."""
    assert at_line("Never push to main", "git push", branch="main")
    assert not at_line("Never push to main", "git push", branch="topic")


def test_another_program_pushes_no_branch() -> None:
    """An image, a package or a database is pushed from any branch."""
    assert at_line("Never push directly to main", "sudo git push", "main")
    assert not at_line("Never push directly to main", "docker push registry/app", "main")


def test_a_merge_changes_the_branch_that_is_checked_out() -> None:
    """What is merged is not its target; a merge that is aborted, explained or looked at is none."""
    assert at_line("Never merge into `main` yourself", "git merge topic", branch="main")
    assert not at_line("Never merge into `main` yourself", "git merge main", branch="topic")
    assert not at_line("Never merge into `main` yourself", "git merge --abort", branch="main")
    assert not at_line("Never merge into `main` yourself", "git merge main --help", branch="main")
    assert at_line("Run `make all` before a release", "gh release create v2")
    assert not at_line("Run `make all` before a release", "gh release list --limit 20")


def test_a_commit_is_made_on_the_branch_that_is_checked_out() -> None:
    """No word of the command names it, and `-m` is no short form of "main"."""
    assert at_line("Never commit directly to `main`", "git commit -m x", branch="main")
    assert not at_line("Never commit directly to `main`", "git commit -m x", branch="topic")


@pytest.mark.parametrize(
    ("statement", "path", "added", "silent"),
    [
        ("Use httpx, not requests", "app/a.py", "import requests", "import httpx"),
        ("Use `Clock.now()`, not `System.now()`.", "a.ex", "x = System.now()", "x = Clock.now()"),
        ("Never use `String.to_atom/1`", "a.ex", "String.to_atom(x)", "String.to_existing_atom(x)"),
        ("Never use `Map.put/3`", "a.ex", "Map.put(m, k, v)", "Keyword.put(m, k, v)"),
        ("Use `zone.now()`, not `datetime.now()`", "a.py", "datetime.datetime.now()", "zone.now()"),
        ("Use httpx, not requests", "app/a.py", "x = requests.get(u)", "# requests is slow"),
        ("Never call time.sleep()", "app/a.py", "time.sleep(3)", "sleeping = True"),
        (
            "Don't use `axios`, `request`, or `superagent`",
            "a.ts",
            "import s from 'superagent'",
            "import ky from 'ky'",
        ),
        ("No oldqueue or oldbus in new code", "a.go", "oldbus.Send(x)", "bus.Send(x)"),
        ("Don't use lodash", "web/a.ts", "import l from 'lodash'", "const lodashed = now()"),
        ("Never leave `binding.irb` in", "app/a.rb", "binding.irb", "binding.of(x)"),
        ("No `var` in new code", "web/a.ts", "var x = 1", "const variable = 1"),
        ("Don't use `?:` here", "src/a.kt", "val a = b ?: c", "val a = b ?. c"),
        ("Never ship `:edge` images", "deploy/Dockerfile", "FROM nginx:edge", "FROM nginx:1.27"),
        ("Don't use sleep", "spec/a_spec.rb", "  sleep 2", "  sleepy = 2"),
    ],
)
def test_an_edit(statement: str, path: str, added: str, silent: str) -> None:
    """An edit counts when it brings in what is forbidden, in code."""
    assert at_edit(statement, path, added)
    assert not at_edit(statement, path, silent)
    assert not at_edit(statement, path, "", added), "it is taken out"
    assert not at_edit(statement, path, added + "\nmore = 1", added), "it stood there before"
    assert not at_edit(statement, "notes/a.md", added), "prose"


@pytest.mark.parametrize("glob", ["*.gen.go", "api/**/*.gen.go", "api/*", "api/**"])
def test_a_glob_is_said_at_an_edit_of_its_files(glob: str) -> None:
    """By the end of the name, or by the folder that it begins with."""
    assert at_edit(f"Never edit `{glob}` by hand", "api/v1/types.gen.go", "x")
    assert not at_edit(f"Never edit `{glob}` by hand", "cmd/gen.go", "x")


def test_a_pronoun_names_nothing() -> None:
    """The word after it is no name either."""
    assert not at_edit("We removed HTTPoison, don't add it back", "a.ex", "back()")


def test_what_holds_in_one_place_is_silent_elsewhere() -> None:
    """A statement about a folder holds in that folder."""
    rule = "Don't use print() in src/"
    assert at_edit(rule, "src/a.py", "print(1)")
    assert not at_edit(rule, "tools/a.py", "print(1)")
    rule = "Don't use print() in src/. In tools/ it is fine."
    assert at_edit(rule, "src/a.py", "print(1)")
    assert not at_edit(rule, "tools/a.py", "print(1)")
    for rule in (
        "`mock_all()` is forbidden in tests",
        "`mock_all()` is not allowed in tests",
    ):
        assert at_edit(rule, "spec/a_spec.rb", "mock_all()")
        assert not at_edit(rule, "app/a.rb", "mock_all()")


@pytest.mark.parametrize(
    "rule",
    ["After a change in api/schema/ run `make client`", "From now on no new keys in api/schema/old.yaml"],
)
def test_what_is_about_a_place_is_said_at_an_edit_there(rule: str) -> None:
    """A statement that forbids no thing by name holds for every edit in its place."""
    assert at_edit(rule, "api/schema/old.yaml", "a: 1")
    assert not at_edit(rule, "api/other.yaml", "a: 1")


@pytest.mark.parametrize(
    "label", ["Don't", "Style > Do NOT", "Things to avoid", "What not to do", "Nicht", "禁止"]
)
def test_a_label_denies_what_stands_below_it(label: str) -> None:
    """A heading or a label that forbids nothing by itself forbids its list."""
    assert at_edit(f"{label}: use `eval` on input", "a.js", "eval(input)")
    assert at_edit(f"{label}:\n- use `with`\n- use `eval`\nUse `parse`.", "a.js", "eval(input)")
    assert not at_edit(f"{label}:\n- use `with`\nUse `parse` here.", "a.js", "parse(input)")
    assert (
        directive(f"What not to do: {label}:\n- use `eval`").forbids == directive("never use `eval`").forbids
    )


@pytest.mark.parametrize(
    "rule",
    [
        "Don't edit src/made by hand",
        "do not modify src/made, run `task gen` instead",
        "src/made is generated, do not edit",
        "不要手动修改 src/made 目录下的文件",
    ],
)
def test_a_folder_needs_no_slash_at_its_end(rule: str) -> None:
    """An edit in it breaks the rule; one that has the words of the rule elsewhere does not."""
    assert at_edit(rule, "src/made/a.py", "x = 1")
    assert not at_edit(rule, "src/main.py", "edit(hand, made)")


@pytest.mark.parametrize(
    "rule", ["NEVER stop before pushing - that strands the work", "Do not run these checks before a push"]
)
def test_what_must_not_come_before_an_event_is_silent_at_it(rule: str) -> None:
    """At the event it is too late."""
    assert not at_line(rule, "git push")
    assert at_line("Never skip `make lint` before a push", "git push")
    assert at_line("Before a push, never leave a focused test", "git push")
    assert at_line("Stop the workers before a push", "git push")


def test_a_tool_that_is_named_like_an_edit_is_denied_alone() -> None:
    """What is to be used in its place is not forbidden."""
    assert not at_line("Always use `jq` instead of Edit", "jq . a.json")


def test_a_name_with_a_sign_is_found_in_any_case() -> None:
    """A decorator or an annotation is named as it is written."""
    assert at_edit("No @Inject on fields", "A.java", "    @Inject")
    assert not at_edit("No @Inject on fields", "A.java", "    inject();")


@pytest.mark.parametrize("label", ["If it does not work", "No mocks", "Style", "Deprecated", "No"])
def test_a_label_that_denies_nothing_below_it(label: str) -> None:
    """A condition, a prohibition of its own, or a note."""
    assert not at_edit(f"{label}: use `parse` on input", "a.js", "parse(input)")


ORDINARY = 603  # of 658: rules with an action that breaks each, one that obeys it, and another one


def test_ordinary_rules() -> None:
    """Rules as people write them are shown at the action that breaks them, and at no other; most of them."""
    right = 0
    for expected, rule, kind, *act in table(__file__, "ordinary_rules"):
        if kind == "command":
            command, branch, ran = act
            shown = at_line(rule, command, branch, (ran,) if ran else ())
        else:
            shown = at_edit(rule, *act)
        right += shown == (expected == "shown")
    assert right >= ORDINARY


@pytest.mark.parametrize(
    "text",
    ["The build takes four minutes", "It never worked for me", "npm does not read the proxy", "", "\0" * 50],
)
def test_what_asks_for_nothing_has_no_command(text: str) -> None:
    """A report, a complaint and no text at all are said at no command."""
    assert not at_line(text, "npm install && git push --force origin main")
