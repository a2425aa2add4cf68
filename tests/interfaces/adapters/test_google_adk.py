"""The Agent Development Kit with a scripted model: what sessions leave behind, and who finds it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

pytest.importorskip("google.adk")

from google.adk.agents import Agent
from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools import load_memory, preload_memory
from google.genai import types

from remora import Memory
from remora.interfaces.adapters.google_adk import RemoraMemoryService
from tests.helpers import SECRET, holds
from tests.interfaces.adapters.talking import RULE, Broken, teach


@pytest.fixture
def service(memory: Memory) -> RemoraMemoryService:
    """The service over it."""
    return RemoraMemoryService(memory)


def said(text: str, author: str = "user", event_id: str = "", **more: Any) -> Event:
    """Return an event in which somebody says something."""
    content = types.Content(role="user" if author == "user" else "model", parts=[types.Part(text=text)])
    name = event_id or f"e-{abs(hash(text))}"
    return Event(author=author, id=name, content=content, timestamp=1.76e9, **more)


def add(service: RemoraMemoryService, *events: Event, user: str = "ann", name: str = "s1") -> None:
    """Add a session of some events."""
    session = Session(id=name, app_name="shop", user_id=user, events=list(events))
    asyncio.run(service.add_session_to_memory(session))


def state(service: RemoraMemoryService, text: str, user: str = "ann", times: int = 1) -> None:
    """Add a memory directly."""
    entry = MemoryEntry(content=types.Content(parts=[types.Part(text=text)]), id="m1", timestamp="last week")
    asyncio.run(service.add_memory(app_name="shop", user_id=user, memories=[entry] * times))


def found(service: RemoraMemoryService, query: str, user: str = "ann", app: str = "shop") -> list[str]:
    """Return the texts that a search finds."""
    answer = asyncio.run(service.search_memory(app_name=app, user_id=user, query=query))
    return ["".join(part.text for part in one.content.parts) for one in answer.memories]


TALK = (
    said("My favourite tea is a smoky lapsang", event_id="e1"),
    said("Noted: lapsang it is.", author="waiter", event_id="e2"),
    said("The parcel goes to Utrecht", event_id="e3"),
)


def test_a_session_is_found_again(memory: Memory, service: RemoraMemoryService) -> None:
    """What was said is found with its author, its time and its event's id, and without hidden signs."""
    add(service, *TALK)
    asked = service.search_memory(app_name="shop", user_id="ann", query="which tea is the favourite?")
    best = asyncio.run(asked).memories[0]
    assert (best.id, best.author, best.content.role) == ("e1", "user", "user")
    assert best.timestamp.startswith("2025-10-09T")
    assert "Utrecht" not in " ".join(found(service, "favourite tea"))
    assert found(service, "   ") == []
    add(service, said("The cart\u202e is \x1b[2Jcached per tenant"), name="s2")
    assert found(service, "cart cached tenant") == ["The cart is cached per tenant"]


def test_a_session_that_is_added_again_is_there_once(memory: Memory, service: RemoraMemoryService) -> None:
    """Adding a session again and again, grown or not, keeps each event once, in a new service too."""
    for _ in range(2):
        add(service, *TALK[:2])
    again = RemoraMemoryService(memory)
    add(again, *TALK)
    asyncio.run(again.add_events_to_memory(app_name="shop", user_id="ann", events=TALK[2:], session_id="s1"))
    assert found(again, "parcel Utrecht") == ["The parcel goes to Utrecht"]
    kept = [m.external_id for s in memory.sessions() for m in memory.session(s.id).history()]
    assert kept == ["e1", "e2", "e3"]


def test_the_same_event_in_two_places_is_found_once(service: RemoraMemoryService) -> None:
    """An event that came without its session, and later with it, is one memory."""
    asyncio.run(service.add_events_to_memory(app_name="shop", user_id="ann", events=TALK))
    add(service, *TALK)
    assert found(service, "parcel Utrecht") == ["The parcel goes to Utrecht"]


def test_users_and_apps_are_apart(memory: Memory, service: RemoraMemoryService) -> None:
    """Nobody finds what another user said or added, also where names look alike; all find the project's."""
    shared = "Parcels leave the warehouse at noon"
    memory.remember(shared, type="workflow_recipe")
    add(service, *TALK)
    state(service, "Parcels for Ann go to the back door")
    question = "where do parcels go?"
    for place in ("shop bob", "shop an", "shop ann/s1", "other ann", "shop/ann "):
        app, user = place.split(" ")
        assert found(service, question, user=user, app=app) == [shared]
    assert "Parcels for Ann go to the back door" in found(service, question)
    memory.remember("Parcels to my own home go to the neighbour", user=True)
    assert found(service, question, user="bob") == [shared]
    assert found(RemoraMemoryService(memory, shared=False), question, user="bob") == []


def test_others_do_not_crowd_anybody_out(service: RemoraMemoryService) -> None:
    """One user's words are found among a hundred users who say nearly the same."""
    for number in range(100):
        add(service, said(f"my parcel goes to Utrecht, to door {number}"), user=f"u{number}", name="s")
    assert found(service, "parcel Utrecht", user="u57") == ["my parcel goes to Utrecht, to door 57"]


def test_memories_are_added(service: RemoraMemoryService) -> None:
    """What is added directly is remembered, once for each user."""
    text, question = "Ann pays by invoice at the end of the month", "how does Ann pay?"
    state(service, text, times=2)
    state(service, text, user="bob")
    assert found(service, question) == found(service, question, user="bob") == [text]


def test_what_is_no_statement_is_left_out(memory: Memory, service: RemoraMemoryService) -> None:
    """Tool calls, thoughts, pieces of a stream and empty events leave nothing; a secret is taken out."""
    parts = types.Part(function_call=types.FunctionCall(name="f")), types.Part(text="hm", thought=True)
    events = [
        Event(author="waiter", id=f"e{n}", content=types.Content(parts=[p])) for n, p in enumerate(parts)
    ]
    add(service, *events, said("my fav", event_id="p", partial=True), Event(author="a", id="n"))
    assert memory.sessions() == []
    add(service, said(f"the token is {SECRET}", event_id="x"))
    assert holds(memory.home, SECRET) == []


def test_a_broken_memory_fails_nobody(memory: Memory) -> None:
    """With a memory that always fails every call comes back, a search empty."""
    broken = RemoraMemoryService(Broken(memory))  # type: ignore[arg-type]
    add(broken, *TALK)
    state(broken, "Ann pays by invoice")
    assert found(broken, "tea") == []


class Script(BaseLlm):
    """A model that answers what it is given to say, and keeps the texts that it was sent."""

    model: str = "script"
    answers: list[Any]
    sent: list[str]

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[Any, None]:
        """Answer with the next of the answers."""
        parts = [part for content in llm_request.contents for part in content.parts]
        self.sent.append("\n".join(str(p.text or p.function_response or "") for p in parts))
        yield LlmResponse(content=types.Content(role="model", parts=[self.answers.pop(0)]))


async def say(runner: Runner, name: str, text: str) -> None:
    """Say something to an agent, to the end of its answer."""
    message = types.Content(role="user", parts=[types.Part(text=text)])
    async for _ in runner.run_async(user_id="ann", session_id=name, new_message=message):
        pass


def test_the_kits_own_loop_remembers(service: RemoraMemoryService) -> None:
    """What is said in a session that is added comes back in a later one, by preload and by load_memory."""
    call = types.FunctionCall(name="load_memory", args={"query": "favourite tea"})
    answers = [types.Part(text="Noted."), types.Part(function_call=call), types.Part(text="Lapsang.")]
    model = Script(answers=answers, sent=[])

    async def run() -> None:
        sessions = InMemorySessionService()
        agent = Agent(name="waiter", model=model, tools=[preload_memory, load_memory])
        runner = Runner(agent=agent, app_name="shop", session_service=sessions, memory_service=service)
        for name in ("s1", "s2"):
            await sessions.create_session(app_name="shop", user_id="ann", session_id=name)
        await say(runner, "s1", "My favourite tea is lapsang")
        first = await sessions.get_session(app_name="shop", user_id="ann", session_id="s1")
        assert first is not None
        await service.add_session_to_memory(first)
        await say(runner, "s2", "What is my favourite tea?")
        await runner.close()

    asyncio.run(run())
    assert "lapsang" not in model.sent[0].replace("My favourite tea is lapsang", "")
    assert "user: My favourite tea is lapsang" in model.sent[1]
    assert model.sent[2].count("My favourite tea is lapsang") >= 2


def test_the_documented_example(memory: Memory, example: Callable[..., dict[str, Any]]) -> None:
    """The example of the documentation runs, and preload_memory brings what was taught."""
    teach(memory)
    sessions = InMemorySessionService()
    model = Script(answers=[types.Part(text="done")], sent=[])
    runner = example("Google ADK", memory=memory, model=model, sessions=sessions)["runner"]

    async def run() -> None:
        await sessions.create_session(app_name="shop", user_id="ann", session_id="s")
        await say(runner, "s", "what is run before a commit?")
        await runner.close()

    asyncio.run(run())
    assert RULE in model.sent[0]
