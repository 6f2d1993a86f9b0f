"""The ``shardlane`` command that the wheel installs."""

import sys

from shardlane._shardlane import cli_main


def main() -> int:
    """Runs the command with this process's arguments and returns its exit code."""
    return cli_main(["shardlane", *sys.argv[1:]])
