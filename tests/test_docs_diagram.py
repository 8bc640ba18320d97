"""The drawing of the house is what the code says."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_diagram_shows_the_imports_that_there_are() -> None:
    drawn = subprocess.run(
        [sys.executable, ROOT / "docs/draw.py", "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert drawn.returncode == 0, drawn.stderr
