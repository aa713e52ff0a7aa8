"""The capabilities: git, views, signals, dependencies, probes, execution. Useful without MCP."""
