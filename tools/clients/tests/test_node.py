"""kafkajs: the default partitioner and the legacy one."""

import pytest
from clients import COUNTS, asked, compare, npm


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The program that asks the client."""
    node, place = npm(tmp_path_factory.mktemp("node"))
    return [node, str(place / "partitions.js")]


@pytest.mark.parametrize("client", ["default", "legacy"])
def test_keys_go_where_kafkajs_sends_them(command: list[str], client: str) -> None:
    compare(f"kafkajs:{client}", lambda of: asked([*command, client, *map(str, COUNTS)], of))
