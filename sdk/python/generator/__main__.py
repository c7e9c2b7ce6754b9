"""`python -m generator python`: writes a client's generated files from openapi.json; `--check` only compares them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from .go import write_go
from .inputs import Inputs
from .methods import read_methods, write_resources
from .php import write_php
from .schemas import write_models

PACKAGE = Path(__file__).resolve().parent.parent
SDKS = PACKAGE.parent
DOCUMENT = SDKS.parent / "openapi.json"
TARGET = PACKAGE / "src" / "trilho"


def generate(client: str) -> dict[Path, str]:
    """Returns the content of every generated file of a client by its path."""
    document = json.loads(DOCUMENT.read_text())
    if client == "go":
        return {SDKS / "go" / name: code for name, code in write_go(document).items()}
    if client == "php":
        return {SDKS / "php" / "src" / name: code for name, code in write_php(document).items()}
    return {TARGET / name: code for name, code in _write_python(document).items()}


def _write_python(document: dict[str, Any]) -> dict[str, str]:
    inputs = Inputs(document["components"]["schemas"])
    methods = read_methods(document, inputs)
    modules = {
        "models.py": write_models(document, _header("Resources of the API.")),
        "inputs.py": inputs.module(_header("Types of what calls send.")),
        "_resources.py": write_resources(methods, _header("Resources of the sync client."), is_async=False),
        "_async_resources.py": write_resources(
            methods, _header("Resources of the async client."), is_async=True
        ),
    }
    return {name: _format(name, code) for name, code in modules.items()}


def _header(summary: str) -> str:
    return f'"""{summary} Made from openapi.json by `npm run sdk:python`; do not edit."""\n'


def _format(name: str, code: str) -> str:
    """Removes what a module does not use, and formats it as every other one."""
    for command in (["check", "--fix", "--quiet", "--exit-zero"], ["format", "--quiet"]):
        code = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(TARGET / name), "-"],
            input=code,
            capture_output=True,
            text=True,
            check=True,
            cwd=PACKAGE,
        ).stdout
    return code


def main() -> int:
    client, *options = sys.argv[1:]
    is_check = "--check" in options
    stale = []
    for file, code in generate(client).items():
        if file.exists() and file.read_text() == code:
            continue
        stale.append(file.name)
        if not is_check:
            file.write_text(code)
    if stale and is_check:
        print(f"not what openapi.json says: {', '.join(stale)}; run `npm run sdk:{client}`", file=sys.stderr)
    return 1 if stale and is_check else 0


if __name__ == "__main__":
    sys.exit(main())
