"""Malformed requests whose HTTP is good: what is no JSON, what no API should take for it, and bad fields."""

from blackbox.malformed import TABLE, Kind, deal, decide, post, start

NESTED = 5000
TEXTS = {
    "an empty body": b"",
    "a space": b" ",
    "a NUL": b"\0",
    "one brace": b"{",
    "two braces too many": b"{}}}",
    "two objects": b'{"game": "casino-holdem"}{"game": "casino-holdem"}',
    "an object and a comma": b'{"game": "casino-holdem"},',
    "a comma at the end": b'{"game": "casino-holdem",}',
    "a comma at the beginning": b'{,"game": "casino-holdem"}',
    "no comma": b'{"game": "casino-holdem" "ante": 1}',
    "no colon": b'{"game" "casino-holdem"}',
    "no quotes": b"{game: casino-holdem}",
    "single quotes": b"{'game': 'casino-holdem'}",
    "a string that does not end": b'{"game": "casino-holdem}',
    "a line end in a string": b'{"game": "casino\nholdem"}',
    "a control byte in a string": b'{"game": "casino\x01holdem"}',
    "an escape that is none": b'{"game": "casino\\xholdem"}',
    "half an escape": b'{"game": "\\u00"}',
    "a lone surrogate": b'{"game": "casino-holdem", "metadata": {"a": "\\ud800"}}',
    "a lone surrogate as a name": b'{"game": "casino-holdem", "\\udfff": 1}',
    "surrogates in the wrong order": b'{"game": "casino-holdem", "metadata": {"a": "\\udc00\\ud800"}}',
    "a surrogate in bytes": b'{"game": "casino-holdem", "metadata": {"a": "\xed\xa0\x80"}}',
    "an escaped NUL": b'{"game": "casino-holdem", "metadata": {"a": "\\u0000"}}',
    "a name that is an escaped NUL": b'{"game": "casino-holdem", "metadata": {"\\u0000": "a"}}',
    "no UTF-8": b'{"game": "\xff\xfe"}',
    "overlong UTF-8": b'{"game": "\xc0\xaf"}',
    "UTF-8 past the last character": b'{"game": "\xf4\x90\x80\x80"}',
    "half a character": b'{"game": "\xe2\x82"}',
    "a byte order mark": b'\xef\xbb\xbf{"game": "casino-holdem"}',
    "UTF-16 said to be UTF-8": '{"game": "casino-holdem"}'.encode("utf-16"),
    "UTF-32": '{"game": "casino-holdem"}'.encode("utf-32-le"),
    "a comment": b'{"game": "casino-holdem" /* ante 1 */}',
    "a comment to the line's end": b'{"game": "casino-holdem"} // ante 1',
    "NaN": b'{"game": "casino-holdem", "ante": NaN}',
    "Infinity": b'{"game": "casino-holdem", "ante": Infinity}',
    "minus Infinity": b'{"game": "casino-holdem", "ante": -Infinity}',
    "a number in hexadecimal": b'{"game": "casino-holdem", "ante": 0x10}',
    "a number with a plus": b'{"game": "casino-holdem", "ante": +1}',
    "a number with a zero before": b'{"game": "casino-holdem", "ante": 01}',
    "a number that begins with a point": b'{"game": "casino-holdem", "ante": .5}',
    "a number that ends with a point": b'{"game": "casino-holdem", "ante": 1.}',
    "a number with an underscore": b'{"game": "casino-holdem", "ante": 1_0}',
    "True": b'{"game": "casino-holdem", "sandbox": True}',
    "undefined": b'{"game": "casino-holdem", "ante": undefined}',
    "an array": b'[{"game": "casino-holdem"}]',
    "an array of arrays": b"[[]]",
    "null": b"null",
    "true": b"true",
    "a number": b"1",
    "a text": b'"casino-holdem"',
    "an empty object": b"{}",
    "arrays 5,000 deep": b"[" * NESTED + b"]" * NESTED,
    "objects 5,000 deep": b'{"a":' * NESTED + b"1" + b"}" * NESTED,
    "arrays that do not end": b"[" * 60_000,
    "arrays 33 deep inside": b'{"game": "casino-holdem", "metadata": ' + b"[" * 32 + b"]" * 32 + b"}",
    "a name twice": b'{"game": "casino-holdem", "game": "casino-holdem"}',
    "a name twice, once escaped": b'{"game": "casino-holdem", "g\\u0061me": "casino-holdem"}',
    "a name twice, deep inside": b'{"game": "casino-holdem", "metadata": {"a": "1", "a": "2"}}',
    "2,000 names": b"{" + b",".join(b'"f%d": 1' % n for n in range(2000)) + b"}",
    "a name of 50,000 letters": b'{"' + b"n" * 50_000 + b'": 1}',
    "a text of 60,000 letters": b'{"game": "' + b"g" * 60_000 + b'"}',
    "a number of 50,000 digits": b'{"game": "casino-holdem", "ante": ' + b"9" * 50_000 + b"}",
    "a fraction of 50,000 digits": b'{"game": "casino-holdem", "ante": 1.' + b"0" * 50_000 + b"}",
    "an exponent past all bounds": b'{"game": "casino-holdem", "ante": 1e999999999}',
    "a name of a prototype": b'{"game": "casino-holdem", "__proto__": {"sandbox": true}}',
    "an operator of a query": b'{"game": {"$ne": null}}',
    "an entity of XML": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    "a pickled object": b"\x80\x04\x95\x0b\0\0\0\0\0\0\0\x8c\x05posix\x94.",
}

_CASINO = b'{"game": "casino-holdem", %b}'
_NO_LIMIT = b'{"game": "no-limit-holdem", %b}'
_ULTIMATE = b'{"game": "ultimate-texas-holdem", %b}'

STARTS = {
    f"start: {fields.decode()[:50]}": game % fields
    for game, fields in (
        *(
            (_CASINO, b'"ante": ' + value)
            for value in (b"0", b"-1", b"1.0", b"1e0", b'"1"', b"true", b"null", b"[1]")
        ),
        *(
            (_CASINO, b'"ante": ' + value)
            for value in (b"1000000000001", b"9" * 100, b"-" + b"9" * 100, b"-0.0")
        ),
        *((_CASINO, b'"rounds": ' + value) for value in (b"0", b"2.5", b"{}", b"9" * 30)),
        *((_CASINO, b'"decision_seconds": ' + value) for value in (b"0", b"86401", b"true")),
        *((_CASINO, b'"sandbox": ' + value) for value in (b"1", b'"yes"', b"null")),
        *((_CASINO, b'"players": ' + value) for value in (b"[]", b'["a", "b"]', b'[""]', b'["a\\n"]', b"{}")),
        (_CASINO, b'"metadata": {"a": 1}'),
        (_CASINO, b'"metadata": {"": "a"}'),
        (_CASINO, b'"metadata": {"a": "' + b"x" * 1025 + b'"}'),
        (_CASINO, b'"metadata": {' + b",".join(b'"%d": ""' % n for n in range(200)) + b"}"),
        (_CASINO, b'"Ante": 1'),
        (_CASINO, b'"seats": 1'),
        (_ULTIMATE, b'"ante": 3'),
        (_ULTIMATE, b'"seats": 7'),
        (_ULTIMATE, b'"profile": "house"'),
        (_ULTIMATE, b'"preflop_multiples": [5]'),
        (_ULTIMATE, b'"trips": "progressive", "sandbox": true'),
        (_NO_LIMIT, b'"seats": 11'),
        (_NO_LIMIT, b'"small_blind": 101'),
        (_NO_LIMIT, b'"stacks": [3000]'),
        (_NO_LIMIT, b'"stacks": [3000, 3001]'),
        (_NO_LIMIT, b'"stacks": [3000, true]'),
    )
}

DEALS = {
    "a bet that is true": b'{"bets": [{"seat": 1, "trips": true}]}',
    "a bet of a seat that no table has": b'{"bets": [{"seat": 11}]}',
    "two bets of a seat": b'{"bets": [{"seat": 1}, {"seat": 1}]}',
    "a thousand bets": b'{"bets": [' + b",".join(b'{"seat": 1}' for _ in range(1000)) + b"]}",
    "a seat out twice": b'{"sit_out": [1, 1]}',
    "a card twice": b'{"deck": ["Ah", "Ah"]}',
    "a card of three letters": b'{"deck": ["10h"]}',
    "a card in lower case": b'{"deck": ["ah"]}',
    "a card with a line end": b'{"deck": ["Ah\\n"]}',
    "a suit's symbol": '{"deck": ["A♥"]}'.encode(),
    "53 cards": b'{"deck": [' + b",".join([b'"Ah"'] * 53) + b"]}",
    "a client seed with a NUL": b'{"client_seed": "\\u0000"}',
    "a client seed of 129 letters": b'{"client_seed": "' + b"x" * 129 + b'"}',
    "a client seed that is a list": b'{"client_seed": ["a"]}',
    "version zero": b'{"version": 0}',
    "a version with a point": b'{"version": 1.0}',
    "a number of its own": b'{"number": 2}',
}

DECISIONS = {
    "an action that is a text": b'{"action": "call"}',
    "an action that is null": b'{"action": null}',
    "an action without a type": b'{"action": {}}',
    "an action of two types": b'{"action": {"type": "call", "type": "fold"}}',
    "a type that is a list": b'{"action": {"type": ["call"]}}',
    "a type that nobody knows": b'{"action": {"type": "double"}}',
    "a type with a NUL": b'{"action": {"type": "call\\u0000"}}',
    "a call with an amount": b'{"action": {"type": "call", "amount": 2}}',
    "a raise to nothing": b'{"action": {"type": "raise"}}',
    "a raise to a text": b'{"action": {"type": "raise", "to": "9"}}',
    "a raise to 10^12 + 1": b'{"action": {"type": "raise", "to": 1000000000001}}',
    "a raise to minus one": b'{"action": {"type": "raise", "to": -1}}',
    "a play of true": b'{"action": {"type": "play", "multiple": true}}',
    "seat nought": b'{"seat": 0, "action": {"type": "check"}}',
    "a seat with a point": b'{"seat": 1.0, "action": {"type": "check"}}',
    "round nought": b'{"round": 0, "action": {"type": "check"}}',
}

_VOID, _SEAT, _CLOSE = (
    b"/v1/sessions/<SESSION>/" + verb for verb in (b"rounds/1/void", b"seats/1", b"close")
)
_ODDS, _HANDS, _VERIFY = b"/v1/odds", b"/v1/hands/evaluate", b"/v1/fairness/verify"
_ROYAL = b'["Ah", "Kh", "Qh", "Jh", "Th"]'

OTHERS = {
    "a void without a reason": post(_VOID, b"{}"),
    "a void for a number": post(_VOID, b'{"reason": 5}'),
    "a void for two lines": post(_VOID, b'{"reason": "a\\nb"}'),
    "a void for 201 letters": post(_VOID, b'{"reason": "' + b"x" * 201 + b'"}'),
    "a close with a word": post(_CLOSE, b'{"reason": "tired"}'),
    "a close that is a list": post(_CLOSE, b"[]"),
    "a seat that dances": post(_SEAT, b'{"do": "dance"}', who=TABLE),
    "a seat that does nothing": post(_SEAT, b"{}", who=TABLE),
    "a seat that does two things": post(_SEAT, b'{"do": "leave", "do": "sit_in"}', who=TABLE),
    "a rebuy of nothing": post(_SEAT, b'{"do": "rebuy"}', who=TABLE),
    "a rebuy of nought": post(_SEAT, b'{"do": "rebuy", "amount": 0}', who=TABLE),
    "a rebuy of 100 digits": post(_SEAT, b'{"do": "rebuy", "amount": ' + b"9" * 100 + b"}", who=TABLE),
    "a seed of no text": post(_SEAT, b'{"do": "client_seed"}', who=TABLE),
    "a leave with an amount": post(_SEAT, b'{"do": "leave", "amount": 1}', who=TABLE),
    "odds of no game": post(_ODDS, b"{}"),
    "odds of one card": post(_ODDS, b'{"game": "casino-holdem", "hole": ["Ah"], "board": []}'),
    "odds of a card twice": post(
        _ODDS, b'{"game": "casino-holdem", "hole": ["Ah", "Ah"], "board": ["As", "7d", "4c"]}'
    ),
    "odds of a board of six": post(
        _ODDS,
        b'{"game": "no-limit-holdem", "hands": [[], []], "board": ["2c", "3c", "4c", "5c", "6c", "7c"]}',
    ),
    "odds of one hand": post(_ODDS, b'{"game": "no-limit-holdem", "hands": [["Ah", "Kd"]], "board": []}'),
    "no hands": post(_HANDS, b'{"hands": []}'),
    "a hand of four": post(_HANDS, b'{"hands": [["Ah", "Kh", "Qh", "Jh"]]}'),
    "a hand of eight": post(_HANDS, b'{"hands": [["2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c"]]}'),
    "a hand of numbers": post(_HANDS, b'{"hands": [[1, 2, 3, 4, 5]]}'),
    "1,001 hands": post(_HANDS, b'{"hands": [' + b",".join([_ROYAL] * 1001) + b"]}"),
    "a seed of 31 bytes": post(
        _VERIFY, b'{"server_seed": "%b", "session_id": "a", "round": 1}' % (b"00" * 31)
    ),
    "a seed that is not hexadecimal": post(
        _VERIFY, b'{"server_seed": "%b", "session_id": "a", "round": 1}' % (b"zz" * 32)
    ),
    "a proof of round nought": post(
        _VERIFY, b'{"server_seed": "%b", "session_id": "a", "round": 0}' % (b"00" * 32)
    ),
    "a proof of no session": post(_VERIFY, b'{"server_seed": "%b", "round": 1}' % (b"00" * 32)),
    "a proof with a surrogate": post(
        _VERIFY,
        b'{"server_seed": "%b", "client_seed": "\\ud800", "session_id": "a", "round": 1}' % (b"00" * 32),
    ),
}

BODIES = (
    *(Kind(f"{name}, to start", start(body), (400,)) for name, body in TEXTS.items()),
    *(Kind(f"{name}, to decide", decide(body), (400,)) for name, body in TEXTS.items()),
    *(Kind(name, start(body), (400,)) for name, body in STARTS.items()),
    *(Kind(name, deal(body), (400,)) for name, body in DEALS.items()),
    *(Kind(name, decide(body), (400,)) for name, body in DECISIONS.items()),
    *(Kind(name, raw, (400,)) for name, raw in OTHERS.items()),
)
