"""What `dev.py` does beside the gate: environments, the site, the recording, packages and releases."""
