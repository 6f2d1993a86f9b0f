"""librdkafka over its own mock cluster: every record's partition, as it was delivered."""

import ctypes
from pathlib import Path
from typing import Any

import pytest
import shardlane as sl
from clients import COUNTS, expect, installed, keys, log_of, ours

# The keys that a partitioner sends anywhere.
ANYWHERE: dict[str, list[bytes | None]] = {
    "consistent": [],
    "consistent_random": [None, b""],
    "murmur2": [],
    "murmur2_random": [None],
    "fnv1a": [],
    "fnv1a_random": [None],
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A mock cluster with a topic for each number of partitions."""
    installed(["confluent-kafka"], tmp_path_factory.mktemp("librdkafka"))
    import confluent_kafka

    libraries = Path(confluent_kafka.__file__).parent.parent / "confluent_kafka.libs"
    found = sorted(libraries.glob("librdkafka*"))
    if not found:
        pytest.skip("the wheel of confluent-kafka has no library of its own here")
    return mock_cluster(ctypes.CDLL(str(found[0])), {f"t-{count}": count for count in COUNTS})


def mock_cluster(library: ctypes.CDLL, topics: dict[str, int]) -> str:
    """The address of a mock cluster with topics of these numbers of partitions."""
    pointer, integer, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    for name, result, arguments in (
        ("rd_kafka_conf_new", pointer, []),
        ("rd_kafka_new", pointer, [integer, pointer, text, ctypes.c_size_t]),
        ("rd_kafka_mock_cluster_new", pointer, [pointer, integer]),
        ("rd_kafka_mock_topic_create", integer, [pointer, text, integer, integer]),
        ("rd_kafka_mock_cluster_bootstraps", text, [pointer]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    message = ctypes.create_string_buffer(512)
    handle = library.rd_kafka_new(0, library.rd_kafka_conf_new(), message, 512)
    assert handle, message.value
    cluster = library.rd_kafka_mock_cluster_new(handle, 1)
    for topic, partitions in topics.items():
        assert library.rd_kafka_mock_topic_create(cluster, topic.encode(), partitions, 1) == 0
    address: bytes = library.rd_kafka_mock_cluster_bootstraps(cluster)
    return address.decode()


@pytest.mark.parametrize("partitioner", list(ANYWHERE))
@pytest.mark.parametrize("count", COUNTS)
def test_records_go_where_librdkafka_delivers_them(
    address: str, partitioner: str, count: int
) -> None:
    from confluent_kafka import Producer

    producer = Producer(
        {
            "bootstrap.servers": address,
            "partitioner": partitioner,
            "linger.ms": 50,
            "queue.buffering.max.messages": 1_000_000,
        }
    )
    sent: list[bytes | None] = [None, *keys()]
    where: list[int | None] = [None] * len(sent)

    def delivered(error: Any, message: Any, at: int) -> None:
        assert error is None, error
        where[at] = message.partition()

    for at, key in enumerate(sent):
        producer.produce(
            f"t-{count}", value=b"x", key=key, on_delivery=lambda e, m, at=at: delivered(e, m, at)
        )
        producer.poll(0)
    assert producer.flush(60) == 0
    own = ours(f"rdkafka:{partitioner}", count, sent)
    assert [key for key, to in zip(sent, own, strict=True) if to is None] == ANYWHERE[partitioner]
    decided = [(a, b) for a, b in zip(own, where, strict=True) if a is not None]
    expect(partitioner, [a for a, _ in decided], [b for _, b in decided])

    log = log_of(sent, where)
    topic = sl.ShardMap.kafka(count, partitioner=f"rdkafka:{partitioner}")
    assert topic.verify(log).agreement == 1.0
    if count > 1:
        found = sl.infer(log).candidates
        columns = [found[name].to_pylist() for name in ("partitioner", "shards", "agreement")]
        fitting = [(by, of) for by, of, share in zip(*columns, strict=True) if share > 0.99]
        assert (f"rdkafka:{partitioner}", count) in fitting
        assert {of for _, of in fitting} == {count}
