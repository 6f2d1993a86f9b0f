"""The types of arguments, for annotations: what a column or a log may be."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Protocol, TypeAlias


class ArrowArrayExportable(Protocol):
    """Has one Arrow array, such as a pyarrow Array or RecordBatch."""

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Exports the array."""


class ArrowStreamExportable(Protocol):
    """Has a stream of Arrow arrays, such as a polars Series or a DuckDB relation."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Exports the stream."""


ArrowData: TypeAlias = ArrowArrayExportable | ArrowStreamExportable
"""A column or a table."""

Key: TypeAlias = str | bytes
"""One partition key: text, or its bytes in UTF-8."""

Keys: TypeAlias = ArrowData | Sequence[Key | None]
"""A column of keys."""

Values: TypeAlias = Keys | Sequence[object]
"""A column of keys, or of values that a key serializer turns into keys."""

Log: TypeAlias = Values | Iterable[ArrowData]
"""A log in memory."""

Path: TypeAlias = str | PathLike[str]
"""Where a file is."""
