"""The MCP surface: validation, paging, masking, the probe ledger, the grade rules. No algorithm.

``app.py`` builds the server; ``surface/`` holds the tools by namespace; ``session/`` what one open cycle
holds; ``ledger/`` the rules; ``contract/`` the wire models, all that the client may import.
"""
