"""The loops: one cycle, and inside it one investigation per hypothesis."""
