"""One engine for the languages that are resolved by name and import; a language is a table beside it."""
