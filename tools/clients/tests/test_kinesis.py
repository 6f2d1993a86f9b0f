"""kinesalite, through splits and merges; moto, with the faults that it is known for."""

import random
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
import shardlane as sl
from clients import expect, installed, keys, log_of, npm


@pytest.fixture(scope="module")
def kinesalite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client of a kinesalite on the loopback interface."""
    folder = tmp_path_factory.mktemp("kinesalite")
    installed(["boto3", "moto[server]"], folder)
    node, place = npm(folder)
    command = [node, "kinesalite.js"]
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield client_of(f"http://127.0.0.1:{int(server.stdout.readline())}")
        server.terminate()


def client_of(address: str) -> Any:
    """boto3's Kinesis client of a local server."""
    import boto3

    secret = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
    return boto3.client("kinesis", region_name="us-east-1", endpoint_url=address, **secret)


def wait_until_active(client: Any, name: str) -> list[dict[str, Any]]:
    """The shards of a stream, once nothing is changing them."""
    while True:
        shards: list[dict[str, Any]] = []
        start: dict[str, str] = {}
        while True:
            stream = client.describe_stream(StreamName=name, **start)["StreamDescription"]
            shards += stream["Shards"]
            if not stream["HasMoreShards"]:
                break
            start = {"ExclusiveStartShardId": stream["Shards"][-1]["ShardId"]}
        if stream["StreamStatus"] == "ACTIVE":
            return shards
        time.sleep(0.02)


def usable() -> list[str]:
    """The keys that Kinesis takes, by whatever reading of their length."""
    texts = [f"user-{i}" for i in range(4_000)]
    for key in keys():
        try:
            text = key.decode()
        except UnicodeDecodeError:
            continue
        if 1 <= len(text.encode("utf-16-le")) // 2 <= 256:
            texts.append(text)
    assert len(texts) >= 10_000
    return texts


def put(client: Any, name: str, of: list[str], explicit: list[str | None]) -> list[str]:
    """The shard that each record went to."""
    where = []
    for start in range(0, len(of), 500):
        pairs = zip(of[start : start + 500], explicit[start : start + 500], strict=True)
        records = [
            {
                "Data": b"x",
                "PartitionKey": key,
                **({"ExplicitHashKey": hash_key} if hash_key else {}),
            }
            for key, hash_key in pairs
        ]
        answer = client.put_records(StreamName=name, Records=records)
        where += [record["ShardId"] for record in answer["Records"]]
    return where


def ids(stream: sl.ShardMap, of: list[str], explicit: list[str | None]) -> list[str]:
    """The ids of the shards that shardlane names."""
    names = stream.shards["id"].to_pylist()
    return [names[at] for at in stream.route(of, explicit_hash_keys=explicit).to_pylist()]


def open_shards(stream: sl.ShardMap) -> list[list[Any]]:
    """What is said of the shards that take writes."""
    columns = ["id", "start", "end", "parent", "adjacent_parent", "state"]
    return [stream.shards[column].to_pylist()[: len(stream)] for column in columns]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 16])
def test_records_go_where_kinesalite_puts_them(kinesalite: Any, count: int) -> None:
    name, dice, of = f"stream-{count}", random.Random(count), usable()
    kinesalite.create_stream(StreamName=name, ShardCount=count)
    shards = wait_until_active(kinesalite, name)
    stream = sl.ShardMap.from_list_shards(shards)
    assert stream == sl.ShardMap.kinesis(count), "an even stream, by fixed steps"

    ranges = [shard["HashKeyRange"] for shard in shards]
    edges = [range_[end] for range_ in ranges for end in ("StartingHashKey", "EndingHashKey")]
    anywhere = [str(dice.getrandbits(128)) for _ in range(500)]
    explicit: list[str | None] = [*edges, *anywhere]
    explicit += [None] * (len(of) - len(explicit))
    expect("even", ids(stream, of, explicit), put(kinesalite, name, of, explicit))

    # The same splits and merges there and here.
    for step in range(5):
        index = dice.randrange(len(stream))
        shard, start, end = (stream.shards[c].to_pylist()[index] for c in ("id", "start", "end"))
        if step % 2 == 1 and index + 1 < len(stream):
            right = stream.shards["id"].to_pylist()[index + 1]
            kinesalite.merge_shards(StreamName=name, ShardToMerge=shard, AdjacentShardToMerge=right)
            stream = stream.merge(shard, right)
        else:
            at = (int(start) + int(end)) // 2
            kinesalite.split_shard(StreamName=name, ShardToSplit=shard, NewStartingHashKey=str(at))
            stream = stream.split(shard)
        there = sl.ShardMap.from_list_shards(wait_until_active(kinesalite, name))
        assert open_shards(stream) == open_shards(there)
    where = put(kinesalite, name, of, explicit)
    expect("reshaped", ids(stream, of, explicit), where)
    # Without their explicit hash keys, as the service gives records back.
    plain = [at for at, hash_key in enumerate(explicit) if hash_key is None]
    log = log_of([of[at].encode() for at in plain], [where[at] for at in plain])
    assert stream.verify(log).agreement == 1.0
    assert count == 1 or sl.infer(log).are_ranges


@pytest.mark.parametrize("at", [1, 2, -1, 0])
def test_splits_are_refused_where_kinesalite_refuses_them(kinesalite: Any, at: int) -> None:
    name = f"refused-{at}"
    kinesalite.create_stream(StreamName=name, ShardCount=2)
    wait_until_active(kinesalite, name)
    stream = sl.ShardMap.kinesis(2)
    # From the start of the second shard if positive, from its end if not.
    value = 2**127 + at if at > 0 else 2**128 - 1 + at

    def there() -> None:
        shard = "shardId-000000000001"
        kinesalite.split_shard(StreamName=name, ShardToSplit=shard, NewStartingHashKey=str(value))

    try:
        stream.split(1, value)
    except sl.InvalidReshape as refused:
        message = str(refused).split("used in")[0].removeprefix("InvalidArgumentException: ")
        with pytest.raises(Exception, match=message.strip()):
            there()
    else:
        there()


def test_moto_is_right_until_a_reshape_and_then_writes_to_closed_shards(kinesalite: Any) -> None:
    del kinesalite  # it brings the packages
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        client = client_of(f"http://{host}:{port}")
        client.create_stream(StreamName="s", ShardCount=3)
        stream = sl.ShardMap.from_list_shards(wait_until_active(client, "s"))
        of = usable()
        none: list[str | None] = [None] * len(of)
        expect("even", ids(stream, of, none), put(client, "s", of, none))

        parent = stream.shards["id"].to_pylist()[0]
        client.split_shard(StreamName="s", ShardToSplit=parent, NewStartingHashKey=str(2**126))
        split = sl.ShardMap.from_list_shards(wait_until_active(client, "s"))
        where = put(client, "s", of, none)
        # Its known fault, on every record of the shard that was split.
        wrong = sum(a != b for a, b in zip(ids(split, of, none), where, strict=True))
        assert wrong == where.count(parent) > 0
    finally:
        server.stop()
