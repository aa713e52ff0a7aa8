"""Keeping a memory: is it whole, a copy of it, all of it as one archive, and what to do when it is damaged.

answers.py      what was found and done
reading.py      open a memory to look at it, an older one through a migrated copy
checking.py     integrity, references, schema, the JSON of each cycle, the graph snapshots
backing_up.py   a copy as one file, by ``VACUUM INTO``
archive.py      all of it as one file of JSON lines
importing.py    an archive becomes a memory
salvage.py      what a damaged database still gives up
fitting.py      a cycle without what speaks of lost ones
rebuilding.py   the database from the JSON of each cycle, and that JSON from the database
"""
