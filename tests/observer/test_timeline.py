"""The plain facts that kind and outcome are judged from."""

from __future__ import annotations

from tests.observer.script import Script, watching


def test_the_facts_of_a_session():
    """Prompts, commands, changes, interruptions and what stays open."""
    script = Script().ask("do it").step().edit("a.go").run("go test ./...", "panic: x", error=True)
    script.step().run("git commit -m 'fix: a'", "[main 1a2b3c4] fix: a\n 1 file changed")
    script.run("rm x", "The user doesn't want to proceed with this tool use.", error=True).say("Done.")
    script.ask("[Request interrupted by user]")
    observer = watching(script)
    facts = observer.timeline
    assert [p.text for p in facts.prompts] == ["do it"]
    ran = [("go test ./...", "test", True), ("git commit -m '…'", "vcs", False)]
    assert [(c.normal, c.purpose, c.failed) for c in facts.commands] == ran
    assert (facts.edits, facts.steps) == ({"a.go": 1}, 2)
    assert (facts.last_kind, facts.last_edit) == ("interruption", 1)
    assert [(e.message, e.resolved) for e in observer.finalize().errors] == [("panic: x", False)]


def test_the_steps_of_a_fork_are_its_own():
    """Its numbers go on from its origin's, also where it goes on with a reply; a subagent's are its own."""
    asked = Script().step(40).ask("go on").step().edit("a.go").step().say("Done.")
    asked.events.insert(0, Script().add("session_start", step=0))
    assert watching(asked).timeline.steps == 2
    assert watching(Script().step(41).edit("a.go").step().say("Done.")).timeline.steps == 2
    whole = Script().ask("do it").step().edit("a.go").step(2).say("Done.")
    assert watching(whole).timeline.steps == 3
    agent = Script(agent="a1").step().read("b.go").step(4).say("Read.")
    assert watching(whole, agent).timeline.steps == 5


def test_a_step_that_was_interrupted_is_an_interruption():
    """Readers say it on the step."""
    script = Script().ask("do it").step().say("Doing")
    script.add("step", extra={"interrupted": True})
    assert watching(script).timeline.last_kind == "interruption"


def test_a_turn_that_ended_without_a_word():
    """The host does not tell what was said: the end of the turn stands in for it."""
    script = Script().ask("do it").step().run("ls").step()
    script.add("step", extra={"over": True})
    facts = watching(script).timeline
    assert (facts.replies, facts.last_kind) == ([], "reply")
    script.add("step", tokens=900)
    assert watching(script.ask("and now?")).timeline.last_kind == "user_prompt"


def test_the_first_prompt_is_always_kept():
    """Among a thousand, the first says what the session was for."""
    script = Script()
    for number in range(1000):
        script.ask(f"prompt {number}")
    prompts = watching(script).timeline.prompts
    assert (prompts[0].text, prompts[-1].text, len(prompts)) == ("prompt 0", "prompt 999", 300)


def test_the_branch_of_most_events_and_the_summary():
    """The branch worked on most; the last reply that says something."""
    script = Script().step()
    for branch in ("main", "topic", "topic"):
        script.add("reply", text="x", branch=branch)
    long = "The refresh of tokens now happens before they expire, with a test for the edge."
    script.say(f"Summary\n\n{long}\n\nMore.").say("Anything else?")
    o = watching(script).finalize()
    assert (o.branch, o.summary) == ("topic", long)
