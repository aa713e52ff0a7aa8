"""A script that runs inside a sandbox, by the Python there: it calls a build backend."""
