"""The lexical view: BM25 over code-aware words."""
