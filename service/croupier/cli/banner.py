"""What the server says when it is ready."""

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


def banner(settings: Settings, port: int) -> str:
    """Where everything is, and three lines of shell that play a round."""
    url = f"http://{_name(settings.host)}:{port}"
    if settings.open_mode:
        access = "open mode: a request without a credential acts as the operator local"
    else:
        access = f"operator keys of {', '.join(name for name, _ in settings.operator_keys)}"
    return "\n".join(
        (
            f"Croupier {__version__}",
            f"  API      {url}/v1",
            f"  docs     {url}/docs",
            f"  store    {_store(settings)}",
            f"  sandbox  {'allowed' if settings.sandbox else 'off'}",
            f"  access   {access}",
            "",
            "Start a session, deal, and call:",
            *_lines(url, settings),
            "",
        )
    )


def _lines(url: str, settings: Settings) -> tuple[str, str, str]:
    key = "" if settings.open_mode else '-H "Authorization: Bearer $KEY" '
    post = f"""curl -s {url}/v1/sessions/$S/%s -H "Authorization: Bearer $T" {_JSON} -d '%s'; echo"""
    return (
        f"""eval "$(curl -s {url}/v1/sessions {key}{_JSON} -d '{{"game": "casino-holdem"}}' """
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
