"""What the server says when it is ready."""

from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from croupier import __version__
from croupier.settings import Settings

_DURABILITY = {
    "always": "written to disk at every change",
    "everysec": "written to disk every second",
    "memory": "never written to disk",
}
_JSON = "-H 'Content-Type: application/json'"
_FIND = (
    "import json, sys; a = json.load(sys.stdin); "
    'print("T=" + a["tokens"]["seats"][0], "S=" + a["session"]["id"])'
)


def facts(settings: Settings, port: int, operators: Sequence[str]) -> dict[str, str]:
    """Where everything is and who may use it; *operators* are those with a key."""
    url = f"http://{_name(settings.host)}:{port}"
    if operators:
        access = f"operator keys of {', '.join(operators)}"
    elif settings.open_mode:
        access = "open mode until there is a key: a request without a credential acts as the operator local"
    else:
        access = "operator keys in the store, which is away"
    return {
        "API": f"{url}/v1",
        "docs": f"{url}/docs",
        "table": f"{url}/play",
        "store": _store(settings),
        "sandbox": "allowed" if settings.sandbox else "off",
        "access": access,
    }


def banner(settings: Settings, port: int, operators: Sequence[str]) -> str:
    """The facts for people, and three lines of shell that play a round."""
    shown = facts(settings, port, operators)
    return "\n".join(
        (
            f"Croupier {__version__}",
            *(f"  {name:<8} {fact}" for name, fact in shown.items()),
            "",
            "Start a session, deal, and call:",
            *_lines(shown["API"], keyed=not settings.open_mode or bool(operators)),
            "",
        )
    )


def _lines(url: str, *, keyed: bool) -> tuple[str, str, str]:
    key = '-H "Authorization: Bearer $KEY" ' if keyed else ""
    post = f"""curl -s {url}/sessions/$S/%s -H "Authorization: Bearer $T" {_JSON} -d '%s'; echo"""
    return (
        f"""eval "$(curl -s {url}/sessions {key}{_JSON} -d '{{"game": "casino-holdem"}}' """
        f"""| python3 -c '{_FIND}')\"""",
        post % ("deal", "{}"),
        post % ("decide", '{"action": {"type": "call"}}'),
    )


def _name(host: str) -> str:
    """A host to reach the server by from this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]" if ":" in host else host


def _store(settings: Settings) -> str:
    if settings.redis_url is None:
        return f"embedded, in {settings.data}, {_DURABILITY[settings.durability]}"
    parts = urlsplit(settings.redis_url.get_secret_value())
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
