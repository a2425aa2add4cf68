"""The bundled model on thirty developer memories: natural questions, and questions without an answer.

The figures are floors with room below what is reached now; `hit@1` is 34 of 35 without any tuning on
these texts.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from remora.core.config import EmbeddingSettings
from remora.embeddings.embedder import choose
from tests.retrieval.worlds import World
from tests.tables import table

GOOD = 0.5

# name, type, files, text
MEMORIES = [
    (
        "jwt",
        "decision",
        ["auth/tokens.py"],
        (
            "Access tokens expire after 24 hours; the refresh happens in the auth middleware, never "
            "in the handlers"
        ),
    ),
    (
        "db",
        "decision",
        ["db/pool.py"],
        ("PostgreSQL is the only database; SQLite was dropped because two writers blocked each other"),
    ),
    (
        "tz",
        "gotcha",
        ["billing/invoice.py"],
        (
            "Invoice dates are stored in UTC but printed in the customer's time zone; comparing them "
            "directly is off by one day"
        ),
    ),
    (
        "ci",
        "error_pattern",
        [".github/workflows/ci.yml"],
        (
            "The CI job dies with exit code 137 when the tests run with more than four workers: the "
            "runner has 7 GB of memory"
        ),
    ),
    (
        "style",
        "preference",
        [],
        ("Prefer small functions with early returns over nested if statements"),
    ),
    (
        "deploy",
        "workflow_recipe",
        ["deploy/release.sh"],
        (
            "To release: bump the version, run make changelog, tag the commit, wait for the pipeline, "
            "then approve the production step by hand"
        ),
    ),
    (
        "rate",
        "requirement",
        ["api/limits.py"],
        (
            "The public API must answer with 429 and a Retry-After header after 100 requests a minute "
            "from one key"
        ),
    ),
    (
        "cache",
        "dead_end",
        ["cache/redis.py"],
        (
            "Caching whole user objects in Redis was tried and given up: permissions changed and "
            "stale copies let people in"
        ),
    ),
    (
        "upload",
        "gotcha",
        ["media/upload.py"],
        ("S3 multipart uploads fail silently when a part is smaller than 5 MB; only the last part may be"),
    ),
    (
        "migr",
        "pattern",
        ["db/migrations/"],
        (
            "Schema migrations are written in two steps: first add the column as nullable, deploy, "
            "then backfill and add the constraint"
        ),
    ),
    (
        "i18n",
        "module_insight",
        ["web/i18n.ts"],
        ("The translation files are generated from a spreadsheet; edits by hand are overwritten at night"),
    ),
    (
        "flaky",
        "error_pattern",
        ["tests/test_mail.py"],
        (
            "test_mail_queue is flaky because the fake SMTP server needs a moment to start; wait for "
            "the port first"
        ),
    ),
    (
        "search",
        "module_insight",
        ["search/indexer.py"],
        ("The indexer rebuilds the product search every 15 minutes from the outbox table"),
    ),
    (
        "owner",
        "work_state",
        ["payments/stripe.py"],
        ("Stripe webhooks: signature check done, idempotency keys still missing, retries not tested"),
    ),
    (
        "lint",
        "preference",
        ["pyproject.toml"],
        ("Use ruff for linting and formatting; black and flake8 were removed"),
    ),
    (
        "money",
        "requirement",
        ["billing/money.py"],
        ("Amounts of money are integers in cents, never floats"),
    ),
    (
        "docker",
        "gotcha",
        ["Dockerfile"],
        ("The Docker image must be built for arm64 and amd64, the staging cluster runs on Graviton"),
    ),
    (
        "secret",
        "pattern",
        ["config/settings.py"],
        ("Configuration comes from environment variables only; secrets are mounted from Vault at start"),
    ),
    (
        "react",
        "decision",
        ["web/app.tsx"],
        (
            "The dashboard moved from Vue to React because the component library of the design team "
            "is React only"
        ),
    ),
    (
        "e2e",
        "e2e_observation",
        ["web/checkout.tsx"],
        ("On the checkout page the pay button stays disabled until the postal code field loses focus"),
    ),
    (
        "logs",
        "pattern",
        ["core/logging.py"],
        ("Log lines are JSON with a request id; never log e-mail addresses or tokens"),
    ),
    (
        "calib",
        "task_calibration",
        ["payments/"],
        ("Tasks in the payments module take about twice as many steps as planned"),
    ),
    (
        "dep",
        "causal_dependency",
        ["api/schema.graphql", "web/types.ts"],
        ("When the GraphQL schema changes, run the code generator so that the web types follow"),
    ),
    (
        "branch",
        "preference",
        [],
        ("Commit messages are written in the imperative mood and name the ticket"),
    ),
    (
        "perf",
        "error_pattern",
        ["reports/export.py"],
        ("The CSV export ran out of memory for large tenants; stream rows with a server-side cursor"),
    ),
    (
        "id",
        "pattern",
        ["users/repo.py"],
        ("getUserById returns None for deleted users, findUserById raises UserNotFound"),
    ),
    (
        "queue",
        "decision",
        ["worker/jobs.py"],
        (
            "Background jobs run in Celery with Redis as broker; cron is not used because containers "
            "come and go"
        ),
    ),
    (
        "oauth",
        "gotcha",
        ["auth/oauth.py"],
        ("Google login breaks on localhost unless the redirect address uses 127.0.0.1"),
    ),
    (
        "backup",
        "requirement",
        ["ops/backup.md"],
        ("Database backups are kept for 35 days and a restore is rehearsed every quarter"),
    ),
    (
        "feature",
        "module_insight",
        ["flags/client.py"],
        ("Feature flags are read once at process start, so switching one needs a restart of the pods"),
    ),
]

QUESTIONS = table(__file__, "questions")

ELSEWHERE = [  # nothing in the store is about these
    "what is the capital of France",
    "how do I bake sourdough bread",
    "what colour is the company logo",
    "who won the football match yesterday",
    "how does the kubernetes autoscaler decide",
    "what is the licence of this project",
    "how do we sign Windows installers",
    "where is the office in Berlin",
    "how are push notifications sent to phones",
    "what is our policy on dependency updates",
    "which font does the website use",
    "how do I train the recommendation model",
    "when is the next team meeting",
    "how do I reset the printer",
    "does the app support dark mode",
]

NEARBY = [  # about things the store speaks of, but it does not hold the answer
    "how long do we keep audit logs",
    "which message broker do we use for e-mails to customers",
    "what is the maximum size of a profile picture",
    "how do I run the migrations backwards",
    "who approves changes to the payment terms",
    "which version of PostgreSQL runs in production",
    "how do I add a new language to the translations",
    "what is the retry policy for outgoing webhooks",
    "how are passwords hashed",
    "what does the checkout do when the card is declined",
    "how many replicas does the search service have",
    "how do I mock the clock in tests",
    "what is the naming convention for database tables",
    "how do we rotate the vault root key",
    "why is the dashboard slow on Mondays",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A project with the thirty memories and the bundled model, loaded once."""
    choice = choose(EmbeddingSettings(provider="onnx"), environ={})
    folder = tmp_path_factory.mktemp("store")
    with World(folder) as world:
        world.reopen(embedder=choice.embedder)
        for name, kind, files, text in MEMORIES:
            world.remember(name, text, type=kind, related_files=files)
        world.memory.catch_up()
        yield world
    choice.close()


@pytest.fixture(scope="module")
def answers(store: World) -> dict[str, list[tuple[str, float]]]:
    """Every question with the names and scores of its hits, best first."""
    asked = [*(q for q, _ in QUESTIONS), *ELSEWHERE, *NEARBY]
    return {q: [(store.name(h), h.score) for h in store.search(q, 30).hits] for q in asked}


def test_natural_questions_find_their_answers(answers):
    """At least 32 of 35 questions have the right memory first, and 34 among the first three."""
    places = {q: [name for name, _ in answers[q]].index(wanted) + 1 for q, wanted in QUESTIONS}
    misses = {q: answers[q][:3] for q, place in places.items() if place > 1}
    assert len(misses) <= 3, misses
    assert sum(place <= 3 for place in places.values()) >= 34, misses


def test_vectors_and_keywords_together_lose_to_neither(store, answers):
    """The fusion finds more at the first place than either path alone; keywords alone find most."""
    vectors = sum(store.names(q, 1, without=("fts",)) == [wanted] for q, wanted in QUESTIONS)
    keywords = sum(store.names(q, 1, without=("dense",)) == [wanted] for q, wanted in QUESTIONS)
    both = sum(answers[q][0][0] == wanted for q, wanted in QUESTIONS)
    assert both >= max(vectors, keywords)
    assert keywords >= 28


def test_good_means_that_there_is_an_answer(answers):
    """At 0.5 most answers are good, nothing is for a question from elsewhere, and little for one nearby."""
    right = [dict(answers[q])[wanted] for q, wanted in QUESTIONS]
    assert sum(score >= GOOD for score in right) >= 27
    elsewhere = {q: answers[q][0] for q in ELSEWHERE}
    assert all(score < GOOD for _, score in elsewhere.values()), elsewhere
    nearby = {q: answers[q][0] for q in NEARBY if answers[q][0][1] >= GOOD}
    assert len(nearby) <= 8, nearby


def test_the_rest_of_the_store_is_not_good(answers):
    """Beside the answer, at most one question in six has another hit that counts as good."""
    others = [q for q, wanted in QUESTIONS if any(s >= GOOD for n, s in answers[q] if n != wanted)]
    assert len(others) <= len(QUESTIONS) // 6, others


def test_a_context_holds_the_answer_and_not_the_store(store):
    """What goes into a prompt unasked is about the task: the answer, and few others."""
    held = 0
    shown = []
    for question, wanted in QUESTIONS:
        names = [store.name(h) for h in store.memory.context(question, "implement").hits]
        held += wanted in names
        shown.append(len(names))
    assert held >= 28
    assert sum(shown) <= 3 * len(QUESTIONS)
    assert store.memory.context("how do I bake sourdough bread", "implement").text == ""


def test_an_outdated_statement_ranks_below_the_fresh_one(store):
    """The marked one fits the question better by its words, and still comes behind."""
    old = store.remember("old", "The staging cluster runs on arm machines", type="gotcha")
    store.remember("fresh", "We moved staging to x86 machines last month", type="gotcha")
    question = "what machines does the staging cluster run on"
    try:
        assert store.names(question, 2) == ["old", "fresh"]
        store.memory.edit(old.id, stale_at="2026-02-01T00:00:00Z")
        names = store.names(question, 5)
        assert names[0] == "fresh"
        assert "old" in names
    finally:
        for name in ("old", "fresh"):
            store.memory.forget(store.id_of(name))


@pytest.mark.parametrize(
    ("project", "user"),
    [
        ("Use PostgreSQL for storage", "Use SQLite for storage"),
        ("Log lines are JSON", "Log lines are plain text"),
        ("Lines may be up to 110 characters long", "Keep lines under 80 characters"),
        ("Write strings with single quotes", "Write strings with double quotes"),
        ("The team squashes commits on merge", "Never squash commits, keep the history"),
    ],
)
def test_disagreements_are_noticed(store, project, user):
    """The project and the user say different things of one matter."""
    assert disagree(store, project, user)


@pytest.mark.parametrize(
    ("project", "user"),
    [
        ("Use PostgreSQL for storage", "Prefer small functions with early returns"),
        ("Money is integers in cents", "I like short commit messages"),
        ("The public API answers 429 after 100 requests a minute", "Answer me in German, briefly"),
        ("auth/tokens.py signs tokens with RS256", "Never push to main without asking"),
        ("Use React for the dashboard", "Use vim key bindings"),
        ("Do not edit generated files in web/types.ts", "Never use emojis in code"),
        ("Use pnpm, not npm", "Use British spelling"),
        ("Tests must not reach the network", "Do not run the tests without asking me"),
        ("Prefer small functions with early returns", "Keep functions short and return early"),
    ],
)
def test_no_false_alarm(store, project, user):
    """Statements on other matters, or the same statement in other words, do not disagree."""
    assert not disagree(store, project, user)


def disagree(store: World, project: str, user: str) -> bool:
    """Return whether two memories are marked when a question names both."""
    made = [
        store.remember("project", project, type="decision"),
        store.remember("user", user, type="preference", source="user_taught", user=True),
    ]
    try:
        hits = store.search(f"{project} {user}", 10).hits
        assert {"project", "user"} <= {store.name(h) for h in hits}
        return any(h.disagrees_with for h in hits)
    finally:
        for record in made:
            store.memory.forget(record.id)
            del store.name_of[record.id]
