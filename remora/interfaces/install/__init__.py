"""Installer that connects hosts to Remora and undoes it."""
