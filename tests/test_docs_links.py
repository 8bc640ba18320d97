"""Every link from one page of the repository to another leads to something that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def _pages() -> list[Path]:
    hidden = {".venv", ".venv-load", ".clients", "node_modules", "data"}
    return sorted(
        page for page in ROOT.rglob("*.md") if not hidden.intersection(page.relative_to(ROOT).parts)
    )


def _prose(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def _anchors(page: Path) -> set[str]:
    """What a forge makes of the page's headings, for links into its middle."""
    headings = re.findall(r"^#+ (.+)$", _prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", _pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_leads_nowhere(page: Path) -> None:
    for target in _LINK.findall(_prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        assert linked.exists(), target
        assert not anchor or anchor in _anchors(linked), target


def test_the_pages_that_a_newcomer_reads_are_among_them() -> None:
    pages = {str(page.relative_to(ROOT)) for page in _pages()}
    assert {"README.md", "deploy/README.md", "openapi/README.md", "docs/architecture.md"} <= pages
