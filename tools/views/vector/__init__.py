"""The vector view: chunks by meaning, as far as a small model knows it."""
