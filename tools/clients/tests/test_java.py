"""kafka-clients: the built-in partitioner, and every serializer."""

import random
import subprocess
import uuid

import pytest
import shardlane as sl
from clients import CLIENTS, COUNTS, asked, compare, expect, keys, run, tool

ARTIFACTS = ["org.apache.kafka:kafka-clients:3.9.1", "org.slf4j:slf4j-api:1.7.36"]


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The program that asks the client."""
    folder = tmp_path_factory.mktemp("java")
    javac, java, mvn = tool("javac"), tool("java"), tool("mvn")
    for artifact in ARTIFACTS:
        fetch = [mvn, "-q", "-B", "dependency:copy", f"-Dartifact={artifact}"]
        run([*fetch, f"-DoutputDirectory={folder}"], folder, f"Maven cannot fetch {artifact}")
    jars = f"{folder}/*"
    source = CLIENTS / "java" / "Partitions.java"
    subprocess.run([javac, "-cp", jars, "-d", str(folder), str(source)], check=True)
    return [java, "-cp", f"{jars}:{folder}", "Partitions", *map(str, COUNTS)]


def test_keys_go_where_the_java_client_sends_them(command: list[str]) -> None:
    compare("java", lambda of: asked(command, of))


def values() -> dict[str, list[object]]:
    """Values for each serializer, its ends among them."""
    dice = random.Random(7)
    whole = [0, 1, -1, 1001, *(dice.randrange(-(2**15), 2**15) for _ in range(500))]
    return {
        "long": [*whole, 2**63 - 1, -(2**63)],
        "integer": [*whole, 2**31 - 1, -(2**31)],
        "short": whole,
        "double": [0.0, -0.0, 1.5, float("inf"), *(dice.uniform(-1e9, 1e9) for _ in range(500))],
        "float": [0.0, -0.0, 1.5, *(float(dice.randrange(-9999, 9999)) for _ in range(500))],
        "uuid": [str(uuid.UUID(int=dice.getrandbits(128))).upper() for _ in range(500)],
        "text": [f"order-{i}" for i in range(500)],
    }


@pytest.mark.parametrize("serializer", list(values()))
def test_serializers_write_what_java_writes(command: list[str], serializer: str) -> None:
    of = values()[serializer]
    text = ["Infinity" if value == float("inf") else str(value) for value in of]
    made = answers(command, serializer, text)
    topic = sl.ShardMap.kafka(1000)
    expected = topic.digest(made).to_pylist()
    expect(serializer, topic.digest(of, key_serializer=serializer).to_pylist(), expected)
    expect(
        serializer,
        topic.route(of, key_serializer=serializer).to_pylist(),
        topic.route(made).to_pylist(),
    )


def test_hash_codes_and_the_salts_made_of_them_are_javas(command: list[str]) -> None:
    text = [key.decode() for key in keys() if is_line(key)]
    codes = [int(code) for code in answers(command, "hash-code", text)]
    spring = sl.ShardMap.kafka(100, partitioner="spring-cloud-stream").route(text).to_pylist()
    magnitude = [0 if code == -(2**31) else abs(code) for code in codes]
    expect("String.hashCode", spring, [code % 100 for code in magnitude])
    salted = sl.Salt("by", 8).apply(["k"] * len(text), text).to_pylist()
    expect("floorMod", salted, [b"k#%d" % (code % 8) for code in codes])


def answers(command: list[str], serializer: str, text: list[str]) -> list[bytes]:
    """The bytes that Java makes of each value."""
    lines = "".join(f"{serializer} {value}\n" for value in text)
    made = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [bytes.fromhex(line) for line in made.stdout.splitlines()]


def is_line(key: bytes) -> bool:
    """Whether a key can be sent as a line of text."""
    try:
        text = key.decode()
    except UnicodeDecodeError:
        return False
    return bool(text) and text.isprintable() and text == text.strip()
