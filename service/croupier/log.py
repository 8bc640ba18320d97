"""Log lines on standard error: what starts, stops, fails and recovers; and every request, where wanted.

Never a body, a token, a card or a seed; tracebacks therefore come without the values of variables. The lines
of libraries that use :mod:`logging` take the same form.
"""

import logging
import sys
from typing import Any, Literal

import msgspec
import structlog
from structlog.typing import Processor


def configure(look: Literal["pretty", "json"], level: str) -> None:
    """Write lines of *level* and above in the chosen *look*, from this process."""
    known: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[Processor]
    if look == "json":
        last = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(_json)]
    else:
        last = [
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
            )
        ]
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
            foreign_pre_chain=known,
        )
    )
    logging.basicConfig(handlers=[lines], level=level.upper(), force=True)
    # Below that it speaks of every malformed request, which anybody can send.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    # It tells every step of compiling a function, tens of thousands of lines.
    logging.getLogger("numba").setLevel(logging.WARNING)
    # Our own lines do without logging: there is one a request, and the detour takes four times as long.
    structlog.configure(
        processors=[*known, *last],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )


def _json(line: Any, **_: Any) -> str:
    return msgspec.json.encode(line, enc_hook=str).decode()
