"""The page's scripts without a browser: they are well-formed, short, and prove a deal as the service does."""

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from playwright._impl._driver import compute_driver_executable

from croupier.play import assets
from croupier.rules.cards import texts
from croupier.sessions.fairness import shuffled

SCRIPTS = sorted(name for name in assets() if name.endswith(".js"))
NODE = compute_driver_executable()[0]
"""The node that Playwright brings along."""


def node(code: str, value: Any) -> Any:
    """What the module *code* prints as JSON; it reads *value* as ``value``."""
    program = f"const value = {json.dumps(value)};\n{code}"
    done = subprocess.run(
        [NODE, "--input-type=module", "-"], input=program, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def modules(tmp_path: Path) -> str:
    """Imports of the modules that need no browser."""
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for name in SCRIPTS:
        (tmp_path / name).write_bytes(assets()[name].content)
    names = ("proof", "live")
    return "".join(f'import * as {name} from "{(tmp_path / name).as_uri()}.js";\n' for name in names)


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_is_a_module_that_parses(name: str) -> None:
    check = [NODE, "--input-type=module", "--check"]
    done = subprocess.run(check, input=assets()[name].content, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("name", SCRIPTS)
def test_none_is_longer_than_one_can_read_at_a_sitting(name: str) -> None:
    assert assets()[name].content.count(b"\n") <= 400


def test_the_page_shuffles_as_the_service_does(modules: str) -> None:
    cases = [[bytes(32).hex(), "client", "session", 1]] + [
        [hashlib.sha256(b"%d" % at).hexdigest(), f"séed ♠ {at}|2:x", f"session-{at}", at + 1]
        for at in range(40)
    ]
    code = "console.log(JSON.stringify(await Promise.all(value.map((one) => proof.shuffled(...one)))))"
    decks = node(modules + code, cases)
    assert decks[0][:9] == ["4s", "5d", "3s", "Ad", "9c", "Ac", "7c", "Qd", "Qc"]
    for (seed, client, session, number), deck in zip(cases, decks, strict=True):
        assert deck == texts(shuffled(bytes.fromhex(str(seed)), str(client), str(session), int(str(number))))


def test_the_page_writes_canonical_json_and_finds_the_entry_that_breaks_the_chain(modules: str) -> None:
    entries: list[dict[str, Any]] = []
    before = "0" * 64
    for seq in (1, 2, 3):
        content = {"seq": seq, "type": 'é\u2028"\\', "b": [1, None, True, -7], "a": {"z": "", "Z": 10**12}}
        digest = hashlib.sha256(before.encode() + rfc8785.dumps(content)).hexdigest()
        entries.append({**content, "previous_hash": before, "hash": digest})
        before = digest
    forged = [entries[0], {**entries[1], "b": [1, None, True, 7]}, entries[2]]
    dropped = [entries[0], entries[2]]
    code = "console.log(JSON.stringify(await Promise.all(value.map((one) => proof.brokenLink(one)))))"
    assert node(modules + code, [entries, forged, dropped]) == [0, 2, 3]


@pytest.mark.parametrize("table", ["__proto__", "constructor", "toString"])
def test_a_link_to_a_table_of_an_odd_name_reaches_no_other_object(tmp_path: Path, table: str) -> None:
    for name in ("keys.js", "kept.js"):
        (tmp_path / name.replace(".js", ".mjs")).write_bytes(
            assets()[name].content.replace(b"./kept.js", b"./kept.mjs")
        )
    code = f"""
    globalThis.location = {{ hash: `#session=${{value}}&table=theirs&seat1=theirs`, pathname: "/play" }};
    globalThis.history = {{ replaceState() {{}} }};
    const {{ fromAddress, keysTo }} = await import("{(tmp_path / "keys.mjs").as_uri()}");
    const {{ keys }} = fromAddress();
    const others = [({{}}).table ?? null, Object.table ?? null];
    console.log(JSON.stringify([keysTo(value)?.table, keys.seats, ...others]));
    """
    assert node(code, table) == ["theirs", {"1": "theirs"}, None, None]


def test_a_stream_is_read_the_same_wherever_it_is_cut(modules: str) -> None:
    stream = (
        "retry: 1000\n"
        'id: 7\nevent: position\ndata: {"version": 7}\n\n'
        ":\n\n"
        'id: 8\r\nevent: change\r\ndata: {"version":\r\ndata:  8}\r\n\r\n'
        'event: end\ndata: {"reason": "closed"}\n\n'
        "id: 9\ndata: not yet"
    )
    code = """
    const found = [];
    for (let cut = 0; cut <= value.length; cut += 1) {
      const reader = new live.EventReader();
      found.push([...reader.read(value.slice(0, cut)), ...reader.read(value.slice(cut))]);
    }
    console.log(JSON.stringify(found));
    """
    told = [
        {"id": "7", "name": "position", "data": '{"version": 7}'},
        {"id": "8", "name": "change", "data": '{"version":\n 8}'},
        {"id": None, "name": "end", "data": '{"reason": "closed"}'},
    ]
    assert node(modules + code, stream) == [told] * (len(stream) + 1)
