"""The symbol graph view: what a commit defines, and who uses it, with the shape of every use."""
