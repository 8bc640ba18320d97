"""A table to look at: the page at ``/play``, its scripts, styles, pictures and words.

It is served as it stands here, with no build step, and it knows of the server only what the public API says.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

PAGE = "index.html"

_MEDIA = {
    ".css": b"text/css; charset=utf-8",
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".json": b"application/json",
    ".svg": b"image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page: its bytes, its media type, and the digest that names this very content."""

    content: bytes
    media_type: bytes
    digest: str


@cache
def assets() -> Mapping[str, Asset]:
    """Every file by its name. There are no folders among them, so a name is never a path."""
    found = {}
    for file in files(__name__).iterdir():
        _, dot, ending = file.name.rpartition(".")
        if (media := _MEDIA.get(dot + ending)) is not None:
            content = file.read_bytes()
            found[file.name] = Asset(content, media, hashlib.sha256(content).hexdigest()[:32])
    return MappingProxyType(found)
