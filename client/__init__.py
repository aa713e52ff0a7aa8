"""Everything that decides: the loop of a cycle, the policies, the reports, the command line.

Reaches the repository only through MCP and imports of the other parts only ``server.contract``;
``cli/`` is the composition root and the one exception.
"""
