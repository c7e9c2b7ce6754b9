"""`python -m generator`: writes the generated modules of the client from openapi.json; `--check` only compares them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from .inputs import Inputs
from .methods import read_methods, write_resources
from .schemas import write_models

PACKAGE = Path(__file__).resolve().parent.parent
DOCUMENT = PACKAGE.parent.parent / "openapi.json"
TARGET = PACKAGE / "src" / "trilho"


def generate() -> dict[str, str]:
    """Returns the content of every generated module by its name."""
    document = json.loads(DOCUMENT.read_text())
    inputs = Inputs(document["components"]["schemas"])
    methods = read_methods(document, inputs)
    modules = {
        "models": write_models(document, _header("Resources of the API.")),
        "inputs": inputs.module(_header("Types of what calls send.")),
        "_resources": write_resources(methods, _header("Resources of the sync client."), is_async=False),
        "_async_resources": write_resources(
            methods, _header("Resources of the async client."), is_async=True
        ),
    }
    return {name: _format(f"{name}.py", code) for name, code in modules.items()}


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
    is_check = "--check" in sys.argv
    stale = []
    for name, code in generate().items():
        file = TARGET / f"{name}.py"
        if file.exists() and file.read_text() == code:
            continue
        stale.append(file.name)
        if not is_check:
            file.write_text(code)
    if stale and is_check:
        print(f"not what openapi.json says: {', '.join(stale)}; run `npm run sdk:python`", file=sys.stderr)
    return 1 if stale and is_check else 0


if __name__ == "__main__":
    sys.exit(main())
