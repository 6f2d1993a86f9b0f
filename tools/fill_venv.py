"""Creates `.venv` and fills it with what `python/pyproject.toml` asks for in order to be tested.

The packages are those of the build system, of the module itself and of its extra `test`; not the
module, which is installed from the wheel under test. Does nothing when they are there already.
"""

import hashlib
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
STAMP = FOLDER / "filled"


def requirements() -> list[str]:
    """The requirements, as pyproject.toml writes them."""
    project = tomllib.loads((ROOT / "python/pyproject.toml").read_text(encoding="utf-8"))
    return [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["test"],
    ]


def main() -> None:
    """Brings `.venv` up to date."""
    wanted = requirements()
    mark = hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()
    python = FOLDER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if python.exists() and STAMP.exists() and STAMP.read_text(encoding="utf-8") == mark:
        return
    print("filling .venv with", ", ".join(wanted), flush=True)
    venv.create(FOLDER, clear=True, with_pip=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    # Debian's pip is years old; it is only trusted to fetch a new one.
    subprocess.run([*pip, "--upgrade", "pip"], check=True)
    subprocess.run([*pip, *wanted], check=True)
    STAMP.write_text(mark, encoding="utf-8")


if __name__ == "__main__":
    main()
