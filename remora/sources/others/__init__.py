"""What other memory systems left on disk, read as what we would keep of it."""
