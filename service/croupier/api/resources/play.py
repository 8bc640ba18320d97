"""The table to look at, and the files it is made of."""

from functools import cache

from litestar import Controller, get
from litestar.params import FromPath

from croupier.api.desk import HttpRequest
from croupier.api.reading import known_to
from croupier.api.replies import Header, Reply, quoted, unless_known
from croupier.play import PAGE, assets
from croupier.sessions.errors import NotFound

POLICY: Header = (
    b"content-security-policy",
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
)
"""Nothing from elsewhere, nothing inline, and no text that becomes markup."""

REVALIDATED: Header = (b"cache-control", b"public, no-cache")
"""The names stay when a server is updated, so a copy is asked about before it is used: mostly a 304."""


class PlayPage(Controller):
    """``/play``."""

    path = "/play"

    @get("/")
    async def page(self, request: HttpRequest) -> Reply:
        """The page."""
        return unless_known(_replies()[PAGE], known_to(request))

    @get("/{name:str}")
    async def asset(self, request: HttpRequest, name: FromPath[str]) -> Reply:
        """A file of the page."""
        found = _replies().get(name) if name != PAGE else None
        if found is None:
            raise NotFound("There is nothing at this path.")
        return unless_known(found, known_to(request))


@cache
def _replies() -> dict[str, Reply]:
    return {
        name: Reply(
            asset.content,
            media_type=asset.media_type,
            headers=(REVALIDATED, POLICY, (b"etag", quoted(asset.digest))),
        )
        for name, asset in assets().items()
    }
