"""Entry points: command line, MCP server, hooks, web panel and adapters, without domain logic."""
