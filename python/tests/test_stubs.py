"""The stub and the extension module: the same names, signatures and documentation."""

import ast
import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import shardlane as sl
from document_stub import STUB, documented

DOCUMENTED = {name: (node, doc) for name, node, _, doc in documented(ast.parse(STUB.read_text()))}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_help_and_editors_show_the_same_docstring(name: str) -> None:
    node, doc = DOCUMENTED[name]
    assert doc, f"{name} has no documentation"
    assert ast.get_docstring(node) == doc, "run python tools/document_stub.py, then ruff format"


@pytest.mark.parametrize(
    "name", [name for name, (_, doc) in DOCUMENTED.items() if ">>>" in (doc or "")]
)
def test_the_examples_in_docstrings_run(name: str) -> None:
    doc = DOCUMENTED[name][1] or ""
    example = doctest.DocTestParser().get_doctest(doc, {}, name, str(STUB), 0)
    results = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(example)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_package_itself_has_an_example_that_runs() -> None:
    assert doctest.testmod(sl).failed == 0
    assert doctest.testmod(sl).attempted > 0


def test_what_is_exported_is_documented_and_named_by_the_package() -> None:
    for name in sl.__all__:
        thing = getattr(sl, name)
        if inspect.isclass(thing):
            assert inspect.getdoc(thing)
            assert thing.__module__ == "shardlane"


def test_the_stub_agrees_with_the_module_by_mypys_own_check(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "shardlane", "--ignore-disjoint-bases"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
