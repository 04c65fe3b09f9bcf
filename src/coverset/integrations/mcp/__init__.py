"""`coverset mcp`: an MCP server from which an agent gets the few tools, or documents, that together do the job."""
