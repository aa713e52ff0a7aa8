"""Project files: ``go.mod``, ``package.json``, ``Cargo.toml``."""
