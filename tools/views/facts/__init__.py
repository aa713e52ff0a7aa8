"""Facts: what one blob says by itself, extracted once per content and shared by every commit.

``interface.py`` says what an extractor is and what it returns, ``registry.py`` which one reads which file
name, ``store.py`` keeps the results by content; each language is a folder beside ``python/``.
"""
