"""What carries a shared log, one file each; `tree` and `sql` hold what two of them have in common."""
