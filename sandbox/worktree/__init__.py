"""No isolation at all, for debugging the program itself: commands run on the host, as its user."""
