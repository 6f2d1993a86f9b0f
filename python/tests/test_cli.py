"""The command that the wheel installs."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import shardlane as sl
from shardlane._shardlane import cli_main

SCRIPT = Path(sysconfig.get_path("scripts"), "shardlane")


@pytest.mark.parametrize("command", [[SCRIPT], [sys.executable, "-m", "shardlane"]])
def test_the_command_prints_a_map(command: list[os.PathLike[str]]) -> None:
    ran = subprocess.run(
        [*command, "shards", "--kinesis", "2", "--format", "json"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert ran.stderr == ""
    shards = json.loads(ran.stdout)["shards"]
    assert [shard["id"] for shard in shards] == sl.ShardMap.kinesis(2).shards["id"].to_pylist()


def test_the_version_is_the_same_in_shell_and_python() -> None:
    ran = subprocess.run([SCRIPT, "--version"], capture_output=True, check=True, text=True)
    assert ran.stdout == f"shardlane {sl.__version__}\n"


def test_exit_codes_are_those_of_the_shell(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("key,ts\n" + "user-1,2026-01-01T00:00:00Z\n" * 1001)
    out = str(tmp_path / "out")
    replay = ["shardlane", "replay", "--kinesis", "2", "-o", out]
    assert cli_main(["shardlane", "shards", "--kinesis", "2", "-o", out]) == 0
    assert cli_main([*replay, str(tmp_path / "none.csv")]) == 1
    assert cli_main(["shardlane", "shards", "--kinesis", "0"]) == 2
    assert cli_main([*replay, str(log)]) == 3
