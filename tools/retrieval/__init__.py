"""Retrieval: questions asked of a commit's published views, from the lexical, vector and graph routes."""
