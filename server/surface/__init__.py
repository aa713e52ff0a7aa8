"""The MCP tools, one module per namespace; each has ``register(server, context)`` and no algorithm.

Names, titles and descriptions are static: nothing from a repository ever reaches a tool's definition.
"""
