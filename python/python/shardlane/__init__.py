"""Which shard does each partition key go to, how full does each get, and when does it throttle.

Offline, for millions of keys a second, on any Arrow column:

>>> import shardlane as sl
>>> stream = sl.ShardMap.kinesis(4)
>>> stream.route(["order-1001", "JP", "user-1"]).to_pylist()
[2, 0, 3]
"""

from shardlane._errors import (
    Cancelled,
    CorruptTally,
    Internal,
    InvalidInput,
    InvalidReshape,
    InvalidShardMap,
    Io,
    ShardlaneError,
    UnsupportedType,
)
from shardlane._shardlane import (
    Comparison,
    Inference,
    Limits,
    Projection,
    Reads,
    Replay,
    Salt,
    ShardMap,
    Skew,
    Tally,
    Verification,
    __version__,
    infer,
    skew,
)

__all__ = [
    "Cancelled",
    "Comparison",
    "CorruptTally",
    "Inference",
    "Internal",
    "InvalidInput",
    "InvalidReshape",
    "InvalidShardMap",
    "Io",
    "Limits",
    "Projection",
    "Reads",
    "Replay",
    "Salt",
    "ShardMap",
    "ShardlaneError",
    "Skew",
    "Tally",
    "UnsupportedType",
    "Verification",
    "__version__",
    "infer",
    "skew",
]
