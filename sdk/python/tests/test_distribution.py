"""The package as it would be published."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from trilho import __version__

PACKAGE = Path(__file__).resolve().parent.parent


def test_the_wheel_is_typed_and_has_licence_readme_and_version(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, check=True, cwd=PACKAGE, capture_output=True)
    (wheel,) = tmp_path.iterdir()
    assert wheel.name == f"trilho-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        information = f"trilho-{__version__}.dist-info"
        metadata = archive.read(f"{information}/METADATA").decode()
    assert {"trilho/py.typed", "trilho/models.py", f"{information}/licenses/LICENSE"} <= names
    assert all(name.startswith(("trilho/", information)) for name in names)
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: >=3.10" in metadata
    assert "# Trilho for Python" in metadata
    assert "Classifier: Typing :: Typed" in metadata
    is_named = all(
        f"Project-URL: {name}, https://" in metadata for name in ("Homepage", "Repository", "Issues")
    )
    # Nobody may publish it before it says where it comes from.
    assert ("Classifier: Private :: Do Not Upload" in metadata) is not is_named
