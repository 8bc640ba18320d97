"""SECURITY.md says what tests show: every test that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "SECURITY.md").read_text()


def test_every_test_that_is_named_exists() -> None:
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)\(", path.read_text(), re.MULTILINE)
    }
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    assert len(named) > 40
    assert named <= there, named - there


def test_the_readme_leads_there() -> None:
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text()
