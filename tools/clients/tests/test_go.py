"""Sarama, franz-go and kafka-go."""

import os
import shutil

import pytest
from clients import CLIENTS, COUNTS, asked, compare, expect, keys, ours, run, tool


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program that asks the clients."""
    folder = tmp_path_factory.mktemp("go")
    compiler = tool("go")
    place = folder / "source"
    shutil.copytree(CLIENTS / "go", place)
    program = str(folder / "partitions")
    environment = {**os.environ, "GOFLAGS": "-mod=mod"}
    run([compiler, "build", "-o", program, "."], place, "go cannot build it", env=environment)
    return program


@pytest.mark.parametrize(
    "client",
    [
        "sarama:hash",
        "sarama:reference",
        "sarama:crc32",
        "franz-go",
        "franz-go:sarama-compat",
        "kafka-go:hash",
        "kafka-go:reference-hash",
        "kafka-go:murmur2",
    ],
)
def test_keys_go_where_the_client_sends_them(program: str, client: str) -> None:
    compare(client, lambda of: asked([program, client, *map(str, COUNTS)], of))


def test_kafka_go_takes_an_empty_key_for_none_by_crc32(program: str) -> None:
    of = [key for key in keys() if key]
    answers = asked([program, "kafka-go:crc32", *map(str, COUNTS)], of)
    for at, count in enumerate(COUNTS):
        expect(f"of {count}", ours("kafka-go:crc32", count, of), [row[at] for row in answers])
        assert ours("kafka-go:crc32", count, [b"", None]) == [None, None]
