"""Follows a session and prints a line an event, however often the line drops, until the session is over.

    CROUPIER_TOKEN=seat_... python openapi/examples/watch.py SESSION [http://127.0.0.1:8000]

Needs httpx. Any token of the session will do, or an operator key; in open mode none is needed.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import httpx

SILENCE = 60
"""Seconds without a byte, though the server says something every few, after which the line is dead."""


def events(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The server-sent events in *lines*, each with its fields; comments are none."""
    fields: dict[str, str] = {}
    for line in lines:
        if not line and "data" in fields:
            yield fields
            fields = {}
        name, colon, value = line.partition(":")
        if name and colon:
            fields[name] = value.removeprefix(" ")


def follow(base: str, session: str, token: str | None) -> Iterator[Any]:
    """Every event's data from the present position on, each once; the last one says why it is the last."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    path = f"/v1/sessions/{session}/events"
    with httpx.Client(base_url=base, timeout=httpx.Timeout(10, read=SILENCE)) as http:
        while True:
            try:
                with http.stream("GET", path, headers=headers) as answer:
                    if answer.status_code == httpx.codes.NO_CONTENT:
                        return
                    if answer.is_client_error:
                        sys.exit(f"{answer.status_code}: {json.loads(answer.read())['detail']}")
                    for event in events(answer.iter_lines()) if answer.is_success else ():
                        yield json.loads(event["data"])
                        if event["event"] == "end":
                            return
                        headers["Last-Event-ID"] = event["id"]
            except httpx.TransportError as failure:
                if "Last-Event-ID" not in headers:
                    sys.exit(f"No answer from {base}: {failure}. Is the server running? (make serve)")
            time.sleep(1)


def line(event: Any) -> str:
    """An event in a few words."""
    if "session" not in event:
        return f"over: {event['reason']}"
    session, changes = event["session"], ", ".join(event["changes"]) or "position"
    balances = " ".join(f"{seat['seat']}:{seat.get('stack', seat['balance'])}" for seat in session["seats"])
    board = " ".join(session["round"]["board"]) if session["round"] else ""
    return f"{event['version']:>5}  {changes:<32}  {board:<14}  {balances}"


def main() -> None:
    """Read the arguments, follow, print."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("session")
    parser.add_argument("base", nargs="?", default="http://127.0.0.1:8000")
    arguments = parser.parse_args()
    for event in follow(arguments.base, arguments.session, os.environ.get("CROUPIER_TOKEN")):
        print(line(event), flush=True)


if __name__ == "__main__":
    main()
