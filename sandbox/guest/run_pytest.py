"""Starts pytest as its console script does: nothing but ``PYTHONPATH`` is put before the library.

``python -m pytest`` would put the current folder first, and then tests import by accident what an installed
package would not offer them.
"""

import sys

import pytest

if __name__ == "__main__":
    del sys.path[0]  # the folder of this script
    sys.argv[0] = "pytest"
    sys.exit(pytest.main())
