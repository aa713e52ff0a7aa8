"""JavaScript, and what TypeScript shares with it."""
