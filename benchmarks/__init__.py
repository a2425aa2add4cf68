"""Measurements of what Remora promises: recall on public data, times as ratios, and safety under fire."""
