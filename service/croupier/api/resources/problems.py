"""What each problem code means, for programs and for people."""

from html import escape

from litestar import Controller, get
from litestar.params import FromPath

from croupier.api import examples
from croupier.api.answers.problems import ProblemExplained
from croupier.api.desk import HttpRequest, preferred
from croupier.api.languages import locale_of
from croupier.api.operations import Operation
from croupier.api.problems import PROBLEMS, Kind, explanation, title
from croupier.api.reading import headers_of
from croupier.api.replies import HTML, PUBLIC, Reply, json_reply
from croupier.sessions.errors import NotFound

_FORMS = ("application/json", "text/html")
_STYLE = (
    b"content-security-policy",
    b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
)
_VARY = (b"vary", b"Accept, Accept-Language")


def page(code: str, kind: Kind, locale: str) -> bytes:
    """The table's row as a page, its heading in *locale*."""
    heading, happened, remedy = escape(title(code, locale)), escape(kind.happened), escape(kind.remedy)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{heading} · Croupier</title>
<style>
body {{ font: 1.1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem;
  color-scheme: light dark; }}
code {{ font-size: .95em; }}
</style>
<h1 lang="{locale}">{heading}</h1>
<p><code>{escape(code)}</code>, HTTP status {kind.status}</p>
<h2>What happened</h2>
<p>{happened}</p>
<h2>What to do</h2>
<p>{remedy}</p>
</html>
""".encode()


class Problems(Controller):
    """``/problems``."""

    path = "/problems"

    @get(
        "/{code:str}",
        opt={
            "operation": Operation(
                id="explainProblem",
                tag="problems",
                summary="Explain a problem code",
                description="What happened and what to do, in plain words. HTML where the caller prefers it.",
                answer=ProblemExplained,
                produces=_FORMS,
                problems=("not-found",),
                answers={"stale-version": examples.EXPLAINED},
                texts={"stale-version": page("stale-version", PROBLEMS["stale-version"], "en").decode()},
            )
        },
    )
    async def explain(self, request: HttpRequest, code: FromPath[str]) -> Reply:
        """Explain a problem code."""
        kind = PROBLEMS.get(code)
        if kind is None:
            raise NotFound("There is no problem of this code.")
        headers = headers_of(request)
        locale = locale_of(headers.get(b"accept-language"))
        if preferred(headers.get(b"accept", b""), _FORMS) == "text/html":
            return Reply(page(code, kind, locale), media_type=HTML, headers=(PUBLIC, _VARY, _STYLE))
        return json_reply(explanation(code, locale), headers=(PUBLIC, _VARY))
