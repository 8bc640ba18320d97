"""Croupier on a machine whose clock is not right: ``python clocked.py FILE serve …``.

The first eight bytes of FILE say by how many nanoseconds the time of day is off, now; whoever writes there
sets the clock of the running server and of all its workers.
"""

import mmap
import struct
import sys
import time
from pathlib import Path

_file = Path(sys.argv.pop(1)).open("rb")  # noqa: SIM115 - as long as the process lives
_off = mmap.mmap(_file.fileno(), 8, access=mmap.ACCESS_READ)
_time, _time_ns = time.time, time.time_ns


def _offset() -> int:
    found: int = struct.unpack_from("<q", _off)[0]
    return found


time.time_ns = lambda: _time_ns() + _offset()
time.time = lambda: _time() + _offset() / 1e9

from croupier.cli import main  # noqa: E402 - what it loads shall see this clock alone

if __name__ == "__main__":
    main()
