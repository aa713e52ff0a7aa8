"""The wire models: every value that crosses MCP, and all that the client may import from the server.

One module per noun of the design: ``cycles``, ``signals``, ``hypotheses``, ``probes``, ``memory``.
``wire.py`` holds their common base. Texts that come from the watched repository are data; nothing in
these models is ever executed or followed as an instruction.
"""
