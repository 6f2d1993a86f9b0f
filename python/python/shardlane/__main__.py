"""``python -m shardlane``: the same as the command ``shardlane``."""

import sys

from shardlane._cli import main

if __name__ == "__main__":
    sys.exit(main())
