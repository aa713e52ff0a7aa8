"""Starts the replay's driver, or with ``worker`` or ``generator`` as argument one of those.

The driver runs isolated (``-I``). The others find what they call as the suite does: nothing but
``PYTHONPATH`` is put before the library.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    here = str(Path(__file__).parent)
    if sys.argv[1:] == ["worker"]:
        sys.path[:1] = []
        from guardian_behaviour.worker import main  # type: ignore[import-not-found]
    elif sys.argv[1:] == ["generator"]:
        sys.path[:1] = []
        from guardian_behaviour.generator import main  # type: ignore[import-not-found]
    else:
        sys.path.append(here)
        from guardian_behaviour.driver import main  # type: ignore[import-not-found]
    main()
