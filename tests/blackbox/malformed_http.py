"""Malformed requests, below JSON: request lines, headers, framing, paths, queries and what HTTP allows."""

from blackbox.malformed import JSON, OPERATOR, SEAT, TABLE, Kind, deal, get, head, post, start

LIST, LIVE = b"/v1/sessions", b"/health/live"
GOOD = b'{"game": "casino-holdem", "ante": 0}'
"""A body that is refused in the end, whatever else is wrong with its request."""
LENGTH = b"Content-Length: %d" % len(GOOD)
START = b"POST /v1/sessions HTTP/1.1"
CHUNKED = b"Transfer-Encoding: chunked"
WHOLE = b"%x\r\n%b\r\n0\r\n\r\n" % (len(GOOD), GOOD)


def chunked(body: bytes, *headers: bytes) -> bytes:
    return head(START, OPERATOR, JSON, CHUNKED, *headers) + body


REQUEST_LINES = {
    "nothing but line ends": b"\r\n" * 8,
    "a single NUL": b"\0",
    "random bytes": bytes(range(256)),
    "a TLS hello": bytes.fromhex("160301020001000 1fc0303".replace(" ", "")) + bytes(512),
    "an SSH banner": b"SSH-2.0-OpenSSH_9.6\r\n",
    "a Redis command": b"*1\r\n$4\r\nPING\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
    "HTTP/3.0": head(b"GET /health/live HTTP/3.0"),
    "HTTP/1.10": head(b"GET /health/live HTTP/1.10"),
    "HTTP/one": head(b"GET /health/live HTTP/one"),
    "no protocol of that name": head(b"GET /health/live HTCPCP/1.1"),
    "lower-case protocol": head(b"GET /health/live http/1.1"),
    "no target": head(b"GET HTTP/1.1"),
    "a target with a space": head(b"GET /health/live now HTTP/1.1"),
    "a target with a tab": head(b"GET /health\tlive HTTP/1.1"),
    "a target with a NUL": head(b"GET /health\0live HTTP/1.1"),
    "a target with a control byte": head(b"GET /health\x01live HTTP/1.1"),
    "a target without a slash": head(b"GET health/live HTTP/1.1"),
    "an empty line inside": head(b"GET\r\n/health/live HTTP/1.1"),
    "a method with a colon": head(b"GE:T /health/live HTTP/1.1"),
    "a method with a NUL": head(b"GE\0T /health/live HTTP/1.1"),
    "a method of 10,000 letters": head(b"G" * 10_000 + b" /health/live HTTP/1.1"),
    "a method that nobody knows": head(b"DANCE /health/live HTTP/1.1"),
    "a method in lower case": head(b"get /health/live HTTP/1.1"),
    "a space before the method": head(b" GET /health/live HTTP/1.1"),
    "a target of 1 MiB": head(b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1"),
    "JSON alone": b'{"game": "casino-holdem"}\r\n\r\n',
}

HEADERS = {
    "a header without a colon": get(LIST, b"Nonsense"),
    "a header without a name": get(LIST, b": nothing"),
    "a name with a space": get(LIST, b"X Y: z"),
    "a space before the colon": get(LIST, b"X-Y : z"),
    "a name with a control byte": get(LIST, b"X\x01Y: z"),
    "a name in Latin-1": get(LIST, b"X-\xe9: z"),
    "a name with a NUL": get(LIST, b"X\0: z"),
    "a value with a NUL": get(LIST, b"X-Y: a\0b"),
    "a value with a bare carriage return": get(LIST, b"X-Y: a\rX-Injected: yes"),
    "a folded header": get(LIST, b"X-Y: a\r\n b"),
    "a first header that is folded": head(b"GET /v1/sessions HTTP/1.1\r\n X-Y: z"),
    "a header of 1 MiB": get(LIST, b"X-Y: " + b"z" * (1 << 20)),
    "3,000 headers": get(LIST, *(b"X-%d: %b" % (n, b"z" * 20) for n in range(3000))),
    "two hosts": get(LIVE, b"Host: elsewhere"),
    "two content types": start(GOOD, b"Content-Type: text/plain"),
    "two keys for retries": start(GOOD, b"Idempotency-Key: a", b"Idempotency-Key: b"),
    "two credentials": get(LIST, OPERATOR, SEAT),
}

FRAMES = {
    "a length that is negative": head(START, OPERATOR, JSON, b"Content-Length: -1") + GOOD,
    "a length in hexadecimal": head(START, OPERATOR, JSON, b"Content-Length: 0x10") + GOOD,
    "a length with a plus": head(START, OPERATOR, JSON, b"Content-Length: +24") + GOOD,
    "a length that is no number": head(START, OPERATOR, JSON, b"Content-Length: many") + GOOD,
    "a length that is empty": head(START, OPERATOR, JSON, b"Content-Length:") + GOOD,
    "a length with a point": head(START, OPERATOR, JSON, b"Content-Length: 24.0") + GOOD,
    "a length of 100 digits": head(START, OPERATOR, JSON, b"Content-Length: " + b"9" * 100) + GOOD,
    "a length past 64 bits": head(START, OPERATOR, JSON, b"Content-Length: 18446744073709551617") + GOOD,
    "two lengths that differ": head(START, OPERATOR, JSON, LENGTH, b"Content-Length: 5") + GOOD,
    "two lengths that agree": head(START, OPERATOR, JSON, LENGTH, LENGTH) + GOOD,
    "two lengths in one header": head(START, OPERATOR, JSON, b"Content-Length: 24, 24") + GOOD,
    "a length that is too short": head(START, OPERATOR, JSON, b"Content-Length: 10") + GOOD,
    "both a length and chunks": head(START, OPERATOR, JSON, LENGTH, CHUNKED) + WHOLE,
    "chunks and then a length": head(START, OPERATOR, JSON, CHUNKED, b"Content-Length: 3") + WHOLE,
    "chunks disguised by a tab": head(START, OPERATOR, JSON, LENGTH, b"Transfer-Encoding:\tchunked") + WHOLE,
    "chunks spelt with a capital": head(START, OPERATOR, JSON, b"Transfer-Encoding: Chunked") + WHOLE,
    "chunks that are not the last coding": head(START, OPERATOR, JSON, CHUNKED + b", gzip") + WHOLE,
    "a coding that nobody knows": head(START, OPERATOR, JSON, b"Transfer-Encoding: cow") + GOOD,
    "chunks twice": head(START, OPERATOR, JSON, CHUNKED, CHUNKED) + WHOLE,
    "a chunk whose size is no number": chunked(b"zz\r\n{}\r\n0\r\n\r\n"),
    "a chunk whose size is negative": chunked(b"-2\r\n{}\r\n0\r\n\r\n"),
    "a chunk whose size is huge": chunked(b"f" * 17 + b"\r\n{}\r\n0\r\n\r\n"),
    "a chunk whose size has a prefix": chunked(b"0x2\r\n{}\r\n0\r\n\r\n"),
    "a chunk longer than its size": chunked(b"1\r\n{}\r\n0\r\n\r\n"),
    "a chunk without its line end": chunked(b"2\r\n{}0\r\n\r\n"),
    "an empty size": chunked(b"\r\n{}\r\n0\r\n\r\n"),
    "a chunk with an endless extension": chunked(b"2;" + b"a" * 100_000 + b"\r\n{}\r\n0\r\n\r\n"),
    "one byte a chunk, too many": chunked(b"1\r\n \r\n" * 70_000 + b"0\r\n\r\n"),
    "a trailer that is no header": chunked(WHOLE[:-2] + b"Nonsense\r\n\r\n"),
    "a trailer with a length": chunked(WHOLE[:-2] + b"Content-Length: 9\r\n\r\n"),
    "a body of 1 MiB": start(b" " * (1 << 20)),
    "a body on a GET": get(LIST + b"?limit=0", b"Content-Length: 2") + b"{}",
    "a second request inside the first": start(GOOD + b"\r\n" + get(LIVE)),
    "three requests at once, the second broken": get(LIST + b"?limit=0") + b"\0\r\n\r\n" + get(LIVE),
}

NEGOTIATION = {
    "a media type that is not JSON": post(LIST, GOOD, media=b"Content-Type: text/plain"),
    "a form": post(LIST, b"game=casino-holdem", media=b"Content-Type: application/x-www-form-urlencoded"),
    "several parts": post(LIST, GOOD, media=b"Content-Type: multipart/form-data; boundary=x"),
    "no media type": post(LIST, GOOD, media=b"X-No: type"),
    "an empty media type": post(LIST, GOOD, media=b"Content-Type:"),
    "a media type like JSON's": post(LIST, GOOD, media=b"Content-Type: application/jsonx"),
    "a media type of 10,000 letters": post(LIST, GOOD, media=b"Content-Type: application/" + b"j" * 10_000),
    "JSON in UTF-16": post(LIST, GOOD.decode().encode("utf-16"), media=JSON + b"; charset=utf-16"),
    "JSON in Latin-1": post(LIST, GOOD, media=JSON + b"; charset=latin-1"),
    "JSON with a parameter": post(LIST, GOOD, media=JSON + b"; charset=utf-8; profile=x"),
    "JSON patch": post(LIST, GOOD, media=b"Content-Type: application/merge-patch+json"),
    "a compressed body": start(
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0", b"Content-Encoding: gzip"
    ),
    "two encodings": start(GOOD, b"Content-Encoding: br, gzip"),
    "XML wanted": get(LIST, b"Accept: application/xml"),
    "nothing wanted": get(LIST, b"Accept: */*;q=0"),
    "a weight that is no number": get(LIST, b"Accept: application/json;q=x"),
    "an Accept of commas": get(LIST + b"?limit=0", b"Accept: " + b"," * 5000),
    "an Accept of 50 KiB": get(LIST, b"Accept: " + b"a/b;q=0.1," * 5000),
    "a page for people of what has none": get(b"/v1/games", b"Accept: text/html"),
    "text of what is JSON": get(b"/v1/sessions/<SESSION>/rounds", b"Accept: text/plain"),
    "a locale that is none": get(LIST + b"?limit=0", b"Accept-Language: \xff\xfe;q=\xff, ;;;q=q,*;q=NaN"),
    "a locale of infinite weight": get(LIST + b"?limit=0", b"Accept-Language: fr;q=inf, de;q=-inf, en;q=nan"),
}

CREDENTIALS = {
    "no credential": head(b"GET /v1/sessions HTTP/1.1"),
    "an empty credential": get(LIST, b"Authorization:"),
    "Basic": get(LIST, b"Authorization: Basic bG9jYWw6"),
    "Bearer alone": get(LIST, b"Authorization: Bearer"),
    "two words": get(LIST, b"Authorization: Bearer one two"),
    "a credential with a NUL": get(LIST, b"Authorization: Bearer a%00b"),
    "a credential in Latin-1": get(LIST, b"Authorization: Bearer \xe9\xe9"),
    "a credential of 10,000 letters": get(LIST, b"Authorization: Bearer " + b"a" * 10_000),
    "a token that is cut": get(b"/v1/sessions/<SESSION>", b"Authorization: Bearer tbl_"),
    "a token with more behind it": get(b"/v1/sessions/<SESSION>", SEAT + b"x"),
    "a token for a list": get(LIST, TABLE),
    "a key in the query": head(b"GET /v1/sessions?access_token=<KEY> HTTP/1.1"),
}

RETRIES = {
    "an empty key": deal(b"{}", b"Idempotency-Key:"),
    "a key of two words": deal(b"{}", b"Idempotency-Key: a b"),
    "a key of 256 letters": deal(b"{}", b"Idempotency-Key: " + b"k" * 256),
    "a key in Latin-1": deal(b"{}", b"Idempotency-Key: \xe9"),
    "a key in UTF-8": deal(b"{}", "Idempotency-Key: ключ".encode()),
    "a key with a tab": deal(b"{}", b"Idempotency-Key: a\tb"),
}

PATHS = {
    "nothing there": get(b"/v1/nothing"),
    "a slash behind": get(b"/v1/games/"),
    "two slashes": get(b"/v1//games"),
    "two slashes before": get(b"//v1/games"),
    "a host in the path": get(b"//elsewhere/v1/games"),
    "a way up": get(b"/v1/../v1/games"),
    "a way out": get(b"/../../etc/passwd"),
    "a way out, encoded": get(b"/v1/%2e%2e/%2e%2e/etc/passwd"),
    "a way out, encoded twice": get(b"/v1/sessions/%252e%252e%252f"),
    "a way out by backslash": get(b"/v1\\..\\..\\etc"),
    "an overlong slash": get(b"/v1/sessions/%c0%af"),
    "a file of the page that is none": get(b"/docs/..%2f..%2fpyproject.toml"),
    "an id that is NUL": get(b"/v1/sessions/%00"),
    "an id that is no UTF-8": get(b"/v1/sessions/%ff%fe"),
    "an id that is half an escape": get(b"/v1/sessions/%"),
    "an id that is a wrong escape": get(b"/v1/sessions/%zz"),
    "an id of a surrogate": get(b"/v1/sessions/%ed%a0%80"),
    "an id of 5,000 letters": get(b"/v1/sessions/" + b"a" * 5000),
    "an id with a slash": get(b"/v1/sessions/a%2fb"),
    "an id with a brace": get(b"/v1/sessions/{id}"),
    "an id of stars": get(b"/v1/sessions/*"),
    "an id with a line end": get(b"/v1/sessions/a%0d%0aX-Injected:%20yes"),
    "an id with a meter's tag alone": get(b"/v1/sessions/~"),
    "an id with two tags": get(b"/v1/sessions/a~b~c"),
    "an id in raw UTF-8": get("/v1/sessions/é".encode()),
    "a semicolon": get(b"/v1/sessions;a=b"),
    "a fragment": get(b"/v1/sessions/a#b"),
    "round zero": get(b"/v1/sessions/<SESSION>/rounds/0"),
    "round one with a zero before": get(b"/v1/sessions/<SESSION>/rounds/01"),
    "round minus one": get(b"/v1/sessions/<SESSION>/rounds/-1"),
    "a round with a point": get(b"/v1/sessions/<SESSION>/rounds/1.0"),
    "a round of 100 digits": get(b"/v1/sessions/<SESSION>/rounds/" + b"9" * 100),
    "a round in Arabic digits": get(b"/v1/sessions/<SESSION>/rounds/%D9%A1"),
    "seat zero": post(b"/v1/sessions/<SESSION>/seats/0", b'{"do": "sit_out"}', who=TABLE),
    "seat eleven": post(b"/v1/sessions/<SESSION>/seats/11", b'{"do": "sit_out"}', who=TABLE),
    "a seat that is a word": post(b"/v1/sessions/<SESSION>/seats/first", b'{"do": "sit_out"}', who=TABLE),
    "a game that is not dealt": get(b"/v1/games/bridge"),
    "a problem that is none": get(b"/problems/%00"),
}

METHODS = {
    f"{method.decode()} {path.decode()}": get(path, method=method)
    for method, path in (
        *((method, b"/v1/games") for method in (b"POST", b"PUT", b"PATCH", b"DELETE", b"TRACE", b"QUERY")),
        (b"GET", b"/v1/sessions/<SESSION>/deal"),
        (b"DELETE", b"/v1/sessions/<SESSION>"),
        (b"PUT", b"/v1/sessions/<SESSION>/seats/1"),
        (b"GET", b"/v1/odds"),
        (b"PROPFIND", b"/v1/sessions"),
        (b"PURGE", b"/v1/sessions"),
    )
}

QUERIES = {
    "a parameter that nobody knows": get(LIST + b"?colour=red"),
    "a parameter where there are none": get(b"/v1/games?x=1"),
    "a parameter twice": get(LIST + b"?limit=1&limit=2"),
    "a parameter without a value": get(LIST + b"?limit"),
    "an empty parameter": get(LIST + b"?limit="),
    "no parameter": get(LIST + b"?="),
    "only an ampersand": get(LIST + b"?&"),
    "1,000 parameters": get(LIST + b"?" + b"a=1&" * 1000 + b"a=1"),
    "a limit of zero": get(LIST + b"?limit=0"),
    "a negative limit": get(LIST + b"?limit=-1"),
    "a limit past the greatest": get(LIST + b"?limit=101"),
    "a limit with a point": get(LIST + b"?limit=1.0"),
    "a limit that is true": get(LIST + b"?limit=true"),
    "a limit of 100 digits": get(LIST + b"?limit=" + b"9" * 100),
    "a limit with an underscore": get(LIST + b"?limit=1_0"),
    "a limit in Arabic digits": get(LIST + b"?limit=%D9%A1"),
    "a limit of a NUL": get(LIST + b"?limit=%00"),
    "a limit that is no UTF-8": get(LIST + b"?limit=%ff"),
    "a raw byte in the query": get(LIST + b"?limit=\xff"),
    "a cursor that is not ours": get(LIST + b"?after=" + b"a" * 20),
    "a cursor of a NUL": get(LIST + b"?after=%00"),
    "a cursor of 10,000 letters": get(LIST + b"?after=" + b"a" * 10_000),
    "a ledger after minus one": get(b"/v1/sessions/<SESSION>/ledger?after=-1"),
    "a ledger after a word": get(b"/v1/sessions/<SESSION>/ledger?after=x"),
    "a ledger after 10^99": get(b"/v1/sessions/<SESSION>/ledger?after=1" + b"0" * 99),
    "a form of rounds that is none": get(b"/v1/sessions/<SESSION>/rounds?format=xml"),
    "hand histories of a house game": get(b"/v1/sessions/<SESSION>/rounds?format=phh"),
    "deal zero": get(b"/v1/sessions/<SESSION>/rounds/1?deal=0"),
    "a report from yesterday": get(b"/v1/reports/rounds?from=yesterday"),
    "a report that ends before it begins": get(
        b"/v1/reports/rounds?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z"
    ),
    "a report of a NUL": get(b"/v1/reports/rounds?player=%00"),
}

ALLOWED = {
    "a target with a whole address": (head(b"GET http://<HOST>/health/live HTTP/1.1"), (200,)),
    "a target of another host": (head(b"GET http://elsewhere/health/live HTTP/1.1"), (200, 400, 404)),
    "HTTP/0.9": (b"GET /health/live\r\n", (200, 400)),
    "HTTP/1.0": (b"GET /health/live HTTP/1.0\r\n\r\n", (200,)),
    "no host": (head(b"GET /health/live HTTP/1.1", host=False), (200, 400)),
    "line feeds alone": (b"GET /health/live HTTP/1.1\nHost: <HOST>\n\n", (200, 400)),
    "a target of a star": (head(b"OPTIONS * HTTP/1.1"), (200, 204, 400, 404)),
    "a tunnel": (head(b"CONNECT elsewhere:443 HTTP/1.1"), (400, 404, 405)),
    "a part of what there is": (get(LIVE, b"Range: bytes=9-1,-,x"), (200,)),
    "an upgrade to a socket": (
        get(
            LIVE,
            b"Upgrade: websocket",
            b"Connection: Upgrade",
            b"Sec-WebSocket-Key: x",
            b"Sec-WebSocket-Version: 13",
        ),
        (200, 400),
    ),
    "an upgrade to HTTP/2": (
        get(LIVE, b"Upgrade: h2c", b"Connection: Upgrade, HTTP2-Settings", b"HTTP2-Settings: AAMAAABk"),
        (200, 400),
    ),
    "an expectation": (head(START, OPERATOR, JSON, LENGTH, b"Expect: 100-continue") + GOOD, (400,)),
    "an expectation of a miracle": (
        head(START, OPERATOR, JSON, LENGTH, b"Expect: a-miracle") + GOOD,
        (400, 417),
    ),
    "an entity tag that is none": (
        get(b"/v1/sessions/<SESSION>", b'If-None-Match: "unclosed, W/, *x'),
        (200,),
    ),
    "an entity tag of 50 KiB": (
        get(b"/v1/sessions/<SESSION>", b"If-None-Match: " + b'"a",' * 12_000),
        (200,),
    ),
    "a connection that is everything": (
        get(LIVE, b"Connection: close, keep-alive, upgrade, \xff"),
        (200, 400),
    ),
    "a request id that splits the answer": (get(LIVE, b"X-Request-Id: a%0d%0aX-Injected: yes"), (200,)),
    "a request id of 10,000 letters": (get(LIVE, b"X-Request-Id: " + b"r" * 10_000), (200,)),
    "a method to put in another's place": (get(LIVE, b"X-HTTP-Method-Override: DELETE"), (200,)),
    "an address that is not the caller's": (
        get(LIVE, b"X-Forwarded-For: ::1, \0", b"Forwarded: for=x"),
        (200, 400),
    ),
    "an origin that is none": (get(LIVE, b"Origin: null", b"Referer: javascript:alert(1)"), (200,)),
    "an event that is none": (
        get(b"/v1/sessions/<SESSION>/events?after=x&wait=y", b"Last-Event-ID: \xff\xfe"),
        (400,),
    ),
    "a wait without end": (get(b"/v1/sessions/<SESSION>/events?after=0&wait=1e9"), (400,)),
}
"""What HTTP lets a server take, besides what it lets it refuse."""

HTTP = (
    *(Kind(name, raw, (400, 404, 405)) for name, raw in REQUEST_LINES.items()),
    *(Kind(name, raw, (400,)) for name, raw in HEADERS.items()),
    *(Kind(name, raw, (400, 411, 413, 501)) for name, raw in FRAMES.items()),
    *(Kind(name, raw, (400, 406, 415)) for name, raw in NEGOTIATION.items()),
    *(Kind(name, raw, (400, 401, 403)) for name, raw in CREDENTIALS.items()),
    *(Kind(name, raw, (400,)) for name, raw in RETRIES.items()),
    *(Kind(name, raw, (400, 404)) for name, raw in PATHS.items()),
    *(Kind(name, raw, (405,)) for name, raw in METHODS.items()),
    *(Kind(name, raw, (400,)) for name, raw in QUERIES.items()),
    *(Kind(name, raw, statuses) for name, (raw, statuses) in ALLOWED.items()),
)
