"""Which rules of a person take back which."""

from __future__ import annotations

import pytest

from remora.observer.overturned import overturns


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Always use the `Money` class for prices.", "Never use the `Money` class for prices, use cents."),
        ("From now on use bun, not pnpm.", "Use pnpm, not bun."),
        (
            "Use yarn, not npm. (said by the user, 2026-01-05)",
            "Use npm, not yarn. (said by the user, 2026-01-06)",
        ),
        ("From now on answer in German.", "Don't answer in German any more."),
        ("Use lodash.", "Stop using lodash."),
        ("Use pnpm, not npm.", "Use npm again, not pnpm."),
        ("Run scripts with pnpm.", "Run scripts with bun."),
        ("We use pnpm, never npm here.", "From now on use bun, not pnpm."),
        ("We don't use default exports in web/.", "From now on always use default exports in web/."),
        ("Don't mock the database in tests.", "You can mock the database in tests from now on."),
        (
            "Always run docker compose build before a release.",
            "We no longer use docker compose, we deploy with fly.",
        ),
        ("Prefer composition over inheritance.", "Prefer inheritance over composition."),
        ("Always write commit messages in German.", "Please write commit messages in English."),
        ("Always use double quotes in Python.", "Always use single quotes in Python."),
    ],
)
def test_the_opposite_takes_back(older: str, newer: str) -> None:
    """The other choice, or never for always, wherever the older one holds."""
    assert overturns(newer, older)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Always run `make test` before committing.", "Never run `make deploy` yourself."),
        ("Always write tests for new endpoints.", "Never write tests that hit the network."),
        ("Always run git pull first.", "Never run git push --force."),
        ("Always push to a feature branch.", "Never push to main."),
        ("Always run the tests before committing.", "Never run the tests in parallel."),
        ("Always add type hints to functions.", "Never add type: ignore comments."),
        ("On Windows use py, not python.", "On Linux use python3, not py."),
        (
            "For unit tests always use jest instead of mocha.",
            "When writing e2e tests, always use playwright instead of jest.",
        ),
        ("Never use `Money`.", "Always use `Money` for prices."),
        ("Support pnpm.", "Support npm."),
        ("Test installs with poetry.", "Test installs with pip."),
        ("The examples must also work with pnpm.", "The examples must also work with yarn."),
        ("Every doc page must show the uv command.", "Every doc page must show the pip command."),
        ("Lint tests of bun scripts.", "Lint tests of npm scripts."),
        ("Add translations in Spanish.", "Add translations in Italian."),
        ("Translate the labels in French.", "Translate the labels in German."),
        (
            "Always ask in German when the customer is French.",
            "Always ask in French when the customer is French.",
        ),
        ("Tests go into the tests folder.", "We no longer use go."),
        ("Always make small commits.", "We no longer use make."),
        ("Commit just one change at a time.", "We no longer use just."),
        ("Run the tests on node 16 and node 18.", "We no longer support node 16."),
        ("Keep the emojis file sorted.", "We no longer want emojis."),
        ("Document the old API for customers who migrate.", "We no longer use the old API."),
        ("Test redux reducers with `reduce.test.ts`.", "We don't use redux any more."),
        ("Always add comments to public APIs.", "Don't add comments."),
        ("We can use yarn in the legacy folder.", "Do not use yarn."),
        ("Use jest instead of mocha in the legacy package.", "Use vitest instead of jest."),
        ("Use axios instead of got in the CLI.", "Use fetch instead of axios."),
        ("Use SQLite rather than MySQL for tests.", "Use Postgres rather than SQLite."),
        ("Always run `make test` in api before a commit.", "Never run `make test`, run `make check`."),
        ("In web, use yarn, not npm.", "Use npm, not yarn."),
        ("Use pnpm, not npm.", "Use pnpm, not yarn."),
        ("Always run `make lint` before committing.", "Always run `make test` before committing."),
        ("Always add tests for English input.", "Always add tests for German input."),
        ("Never deploy with npm.", "Never deploy with yarn."),
        ("Use docker compose for tests, not podman.", "We no longer use podman."),
        ("Always run docker compose build before a release.", "We no longer use docker compose in web."),
        ("Always start the mail server first.", "In tests we no longer use the mail server."),
    ],
)
def test_another_condition_or_thing_is_another_rule(older: str, newer: str) -> None:
    """A rule that is lost for nothing costs more than one that stays too long."""
    assert not overturns(newer, older)
