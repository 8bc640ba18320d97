"""Where the server is that a command talks to, and how it can fail to answer.

Apart from :mod:`croupier.cli.remote`, which loads an HTTP client, so that `croupier serve` need not.
"""

from typing import Annotated, Any, TypeAlias

import typer

Json: TypeAlias = dict[str, Any]

Url = Annotated[str, typer.Option(envvar="CROUPIER_URL", help="Where the server is.")]
Key = Annotated[
    str | None,
    typer.Option(
        envvar="CROUPIER_OPERATOR_KEY", show_default=False, help="An operator key; none in open mode."
    ),
]
HERE = "http://127.0.0.1:8000"


class Refused(Exception):
    """The server refused; the message says why and *problem* is its problem document."""

    def __init__(self, problem: Json) -> None:
        super().__init__(f"{problem['title']}: {problem['detail']}")
        self.problem = problem


class Unreachable(Exception):
    """Nobody answers there, or it is no Croupier; the message says which."""
