"""SQL for `spent`: calls of models by day, purpose and model."""

from __future__ import annotations

from remora.store.connection import Tables

EMBEDDINGS, RERANK = "embeddings", "rerank"  # purposes
OTHERS = (EMBEDDINGS, RERANK)  # of models that are no language models: their tokens have other prices


class ModelCosts(Tables):
    """The ledger of one database."""

    def add(
        self,
        day: str,
        purpose: str,
        model: str,
        read: int,
        written: int,
        seconds: float,
        *,
        estimated: bool,
        failed: bool,
    ) -> None:
        """Add a call: tokens in and out, and seconds; call inside a transaction."""
        self._connection.execute(
            """INSERT INTO spent(day, purpose, model, calls, input_tokens, output_tokens, estimated, failed,
                 seconds) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?)
               ON CONFLICT DO UPDATE SET calls = calls + 1,
                 input_tokens = input_tokens + excluded.input_tokens,
                 output_tokens = output_tokens + excluded.output_tokens,
                 estimated = estimated + excluded.estimated, failed = failed + excluded.failed,
                 seconds = seconds + excluded.seconds""",
            (day, purpose, model, read, written, int(estimated), int(failed), seconds),
        )

    def tokens_of(self, day: str) -> int:
        """Return the tokens of a day that language models used."""
        marks = ", ".join("?" * len(OTHERS))
        sql = f"""SELECT coalesce(sum(input_tokens + output_tokens), 0) FROM spent
                  WHERE day = ? AND purpose NOT IN ({marks})"""
        return int(self._connection.value(sql, (day, *OTHERS)))

    def since(self, day: str) -> list[tuple[str, str, int, int, int, int, int, float]]:
        """Return the sums since a day, by purpose and model, those with the most tokens first.

        Each is (purpose, model, calls, failed, input tokens, output tokens, estimated calls, seconds).
        """
        sql = """SELECT purpose, model, sum(calls), sum(failed), sum(input_tokens), sum(output_tokens),
                   sum(estimated), sum(seconds) FROM spent WHERE day >= ? GROUP BY purpose, model
                 ORDER BY sum(input_tokens + output_tokens) DESC, purpose, model"""
        return self._connection.rows(sql, (day,))
