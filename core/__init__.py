"""Repository Guardian: a monitor of one git repository that never changes it.

The distribution is assembled from the top-level folders of the source tree, one import direction:

    client  ->  server.contract          decides; the only part that calls a model
    server  ->  tools, memory_store      the MCP surface: validation, ledger, grade rules
    tools   ->  sandbox                  capabilities: git, views, signals, probes
    sandbox                              the only place where strangers' code runs
    memory_store                         what survives a cycle

This root package (the folder ``core/``) lies below all of them and holds what every part shares: the
version, the vocabulary and the tree of errors. It imports nothing.
"""

__version__ = "0.1.0"
