"""Intent evidence: whether anything says that a change of behaviour or contract was meant.

Most changes are. What nobody announced, no test followed and no document mentions comes first.
"""
