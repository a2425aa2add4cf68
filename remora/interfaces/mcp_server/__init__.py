"""MCP server that offers the memory of a project to hosts as tools, resources and prompts."""
