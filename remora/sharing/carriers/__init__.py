"""The carriers of a shared log, one file each; `tree` and `sql` are shared by two carriers each."""
