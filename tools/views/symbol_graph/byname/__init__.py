"""Linking by name and import: JavaScript, TypeScript, Go, Rust and Java."""
