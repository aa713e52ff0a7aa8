"""Chunks: the pieces of files that the lexical and the vector view index and a search answers with."""
