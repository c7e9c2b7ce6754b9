"""README.md: its programs run one after the other, as a reader would type them, against a running Trilho."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.live_stack import Simulator, needs_stack, wait_until

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()
#: A program, or what happens outside of it: `<!-- then: … -->`.
STEP = re.compile(
    r"^```python\n(?P<program>.*?)^```$|^<!-- then: (?P<then>.*?) -->$", re.DOTALL | re.MULTILINE
)


@needs_stack
def test_every_program_of_the_readme_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    simulator = Simulator("python-sdk-readme")
    monkeypatch.setenv("WEBHOOK_URL", simulator.inbox_url)
    names: dict[str, object] = {
        "__name__": "readme",
        "pay": simulator.pay,
        "deliver": simulator.deliver,
        "wait_until": wait_until,
    }
    steps = [step["program"] or step["then"] for step in STEP.finditer(README)]
    assert len(steps) > 10
    for step in steps:
        exec(compile(step, "README.md", "exec", dont_inherit=True), names)  # noqa: S102
    simulator.close()
    names["trilho"].close()  # type: ignore[attr-defined]
    printed = capsys.readouterr().out
    for line in (
        "PAID 150.75",
        "paid: ",
        "validation_failed {'value': ",
        "provider_rejected AC03",
        "stored response of order-2",
    ):
        assert line in printed
    assert "repeat with" not in printed
