"""The clock and the randomness of this machine, behind the sessions' ports."""

import os
import time


class SystemClock:
    """The time of day of this machine."""

    def now(self) -> int:
        """Milliseconds since the Unix epoch, UTC."""
        return time.time_ns() // 1_000_000


class SystemEntropy:
    """The randomness of the operating system."""

    def bytes(self, count: int) -> bytes:
        """*count* unpredictable bytes."""
        return os.urandom(count)
