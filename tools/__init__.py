"""The capabilities: git, views, signals, probes. Importable and useful without MCP."""
