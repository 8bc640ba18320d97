"""Draw the rooms of the house and who knows whom, from the imports in the code, into docs/architecture.md.

    python docs/draw.py            write the diagram between its marks
    python docs/draw.py --check    exit with 1 if the page shows anything else

Every arrow is an import that stands in the code, and what a box says is the first sentence of its room.
"""

import ast
import sys
from pathlib import Path

import grimp

PAGE = Path(__file__).parent / "architecture.md"
BEGIN, END = "<!-- drawn by docs/draw.py -->", "<!-- end of the drawing -->"
HOUSE = "croupier"
NOT_ROOMS = {"log"}
"""A module that every room may use and that knows none."""


def diagram() -> str:
    """A Mermaid flowchart: a box a room, an arrow where one imports from another."""
    graph = grimp.build_graph(HOUSE)
    rooms = sorted(child.rpartition(".")[2] for child in graph.find_children(HOUSE))
    rooms = [room for room in rooms if room not in NOT_ROOMS]
    lines = ["```mermaid", "flowchart TD"]
    lines += [f'    {room}["<b>{room}</b><br/>{_said_of(room)}"]' for room in rooms]
    for one in rooms:
        for other in rooms:
            if one != other and graph.direct_import_exists(
                importer=f"{HOUSE}.{one}", imported=f"{HOUSE}.{other}", as_packages=True
            ):
                lines.append(f"    {one} --> {other}")
    return "\n".join([*lines, "```"])


def _said_of(room: str) -> str:
    """The first sentence of the room's docstring, up to a colon or its end."""
    source = Path(__file__).parent.parent / "service" / HOUSE / room / "__init__.py"
    said = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return (
        said.replace("``", "")
        .replace("\n", " ")
        .partition(". ")[0]
        .partition(": ")[0]
        .partition(";")[0]
        .rstrip(".")
    )


def main() -> None:
    """Write or compare."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    drawn = f"{before}{BEGIN}\n{diagram()}\n{END}{after}"
    if "--check" not in sys.argv:
        PAGE.write_text(drawn, encoding="utf-8")
    elif drawn != page:
        sys.exit("docs/architecture.md is not what the code says; run: make diagram")


if __name__ == "__main__":
    main()
