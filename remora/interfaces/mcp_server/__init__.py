"""The MCP server: the memory of a project as tools, resources and prompts of a host."""
