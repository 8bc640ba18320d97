"""Log lines on standard error: what starts, stops, fails and recovers.

Never a body, a token, a card or a seed; tracebacks therefore come without the values of variables. The lines
of libraries that use :mod:`logging` take the same form.
"""

import logging
import sys
from typing import Literal

import structlog
from structlog.typing import Processor


def configure(look: Literal["pretty", "json"], level: str) -> None:
    """Write lines of *level* and above in the chosen *look*, from this process."""
    known: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[Processor]
    if look == "json":
        last = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
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
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *known,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
