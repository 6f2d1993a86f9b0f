"""The exceptions: one class for each kind of error, under one base.

A message says what was given, what was expected and what to type; ``context`` holds the facts
behind it, such as the row or the file, by name.
"""

from collections.abc import Mapping
from types import MappingProxyType


class ShardlaneError(Exception):
    """Anything that shardlane refuses or cannot do.

    Attributes:
        context: The facts behind the message, such as the row or the file, by name.
    """

    context: Mapping[str, str] = MappingProxyType({})


class InvalidInput(ShardlaneError, ValueError):
    """An argument, a row or a file's content is not usable as given."""


class UnsupportedType(ShardlaneError, TypeError):
    """An object or a column has a type that cannot hold what was asked of it."""


class InvalidShardMap(ShardlaneError, ValueError):
    """A shard map has gaps, overlaps, no shards, or is malformed."""


class InvalidReshape(ShardlaneError, ValueError):
    """A split, merge or resize that the service would refuse."""


class CorruptTally(ShardlaneError, ValueError):
    """Bytes that are not a tally, or not one this version can read."""


class Io(ShardlaneError, OSError):
    """A file could not be read or written."""


class Cancelled(ShardlaneError):
    """The work was stopped before its end."""


class Internal(ShardlaneError, RuntimeError):
    """A fault of shardlane itself; please report it."""


# The classes carry the names they are imported by.
for _class in (
    ShardlaneError,
    InvalidInput,
    UnsupportedType,
    InvalidShardMap,
    InvalidReshape,
    CorruptTally,
    Io,
    Cancelled,
    Internal,
):
    _class.__module__ = "shardlane"
