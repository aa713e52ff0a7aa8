"""Starts the replay's driver, or with ``worker`` as argument one of its workers.

The driver runs isolated (``-I``). A worker finds what it calls as the suite does: nothing but ``PYTHONPATH``
is put before the library.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    here = str(Path(__file__).parent)
    if sys.argv[1:] == ["worker"]:
        sys.path[:1] = []
        from guardian_behaviour.worker import main  # type: ignore[import-not-found]
    else:
        sys.path.append(here)
        from guardian_behaviour.driver import main  # type: ignore[import-not-found]
    main()
