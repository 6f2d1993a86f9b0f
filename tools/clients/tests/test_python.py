"""kafka-python and aiokafka."""

import pytest
from clients import COUNTS, compare, installed


@pytest.fixture(scope="module", autouse=True)
def packages(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The clients."""
    installed(["kafka-python", "aiokafka"], tmp_path_factory.mktemp("python"))


def test_keys_go_where_kafka_python_sends_them() -> None:
    from kafka.partitioner.default import murmur2

    def ask(of: list[bytes]) -> list[list[int]]:
        return [[(murmur2(key) & 0x7FFFFFFF) % count for count in COUNTS] for key in of]

    compare("kafka-python", ask)


def test_keys_go_where_aiokafka_sends_them() -> None:
    from aiokafka.partitioner import DefaultPartitioner

    partition = DefaultPartitioner()
    all_of = {count: list(range(count)) for count in COUNTS}

    def ask(of: list[bytes]) -> list[list[int]]:
        return [[partition(key, all_of[count], all_of[count]) for count in COUNTS] for key in of]

    compare("aiokafka", ask)
