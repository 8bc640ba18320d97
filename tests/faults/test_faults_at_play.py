"""What must hold while things break, with bots at play; ``make faults`` shows the same at length."""

from pathlib import Path

import pytest

from faults.catalogue import catalogue
from faults.ground import Fault, Ground


@pytest.mark.parametrize("fault", catalogue(), ids=lambda fault: fault.name)
async def test_nothing_is_lost_or_doubled(fault: Fault, tmp_path: Path) -> None:
    with Ground.taken(tmp_path) as ground:
        row = await fault.short(ground)
    assert row.holds, row
