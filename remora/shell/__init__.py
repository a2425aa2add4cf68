"""Lines of shell: how they are read, what their programs are for, and what they read from outside."""
