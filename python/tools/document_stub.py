"""Copies the docstrings of the built extension module into its stub, where editors look.

The docstrings are written once, in the Rust sources. Run this after a change to one of them, and
`ruff format` after it; `tests/test_stubs.py` fails until both agree.
"""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from shardlane import _shardlane

STUB = Path(__file__).parents[1] / "python" / "shardlane" / "_shardlane.pyi"

Documented = ast.ClassDef | ast.FunctionDef


def documented(tree: ast.Module) -> Iterator[tuple[str, Documented, int, str | None]]:
    """The stub's classes and functions: dotted name, node, depth, and the real one's docstring.

    Special methods are left out: Python documents them.
    """
    for node in tree.body:
        if isinstance(node, Documented):
            thing = getattr(_shardlane, node.name)
            yield node.name, node, 0, inspect.getdoc(thing)
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    # Not from the class itself: a class method would be bound, a property read.
                    real = inspect.getattr_static(thing, member.name)
                    # A static method's own documentation is that of Python's decorator.
                    real = real.__func__ if isinstance(real, staticmethod) else real
                    doc = inspect.getdoc(real)
                    yield f"{node.name}.{member.name}", member, 1, doc


def main() -> None:
    """Rewrites the stub."""
    tree = ast.parse(STUB.read_text())
    for _, node, depth, doc in documented(tree):
        body = [part for part in node.body if not isinstance(part, ast.Expr)]
        if doc is not None:
            indent = "    " * (depth + 1)
            lines = [f"{indent}{line}" if line else "" for line in doc.splitlines()]
            end = "" if len(lines) == 1 else f"\n{indent}"
            body.insert(0, ast.Expr(ast.Constant("\n".join(lines).lstrip() + end)))
        node.body = body or [ast.Expr(ast.Constant(...))]
    STUB.write_text(ast.unparse(tree) + "\n")


if __name__ == "__main__":
    main()
