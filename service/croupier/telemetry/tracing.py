"""Traces of requests: the operation, its use case, and each of the use case's calls to the store.

Loaded only where a collector is named. Spans carry names, ids of sessions and codes of refusals: no header,
no query, no body, no text of an error.
"""

import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from croupier import __version__
from croupier.sessions.errors import CroupierError

if TYPE_CHECKING:
    from litestar.types import ASGIApp, Message, Receive, Send

T = TypeVar("T")
Naming = Callable[[Any], tuple[str | None, str | None]]
"""Of a scope that has been answered: the operation it reached and the session it names."""

_PATIENCE = 2.0
"""Seconds that the end of the process may wait for the last spans to be taken."""


class Tracing:
    """Sends spans to the OpenTelemetry collector at *endpoint*, over HTTP.

    What is sampled and what the service is called, the environment variables of OpenTelemetry say
    (``OTEL_TRACES_SAMPLER``, ``OTEL_SERVICE_NAME``, ``OTEL_RESOURCE_ATTRIBUTES``, …).
    """

    def __init__(self, endpoint: str) -> None:
        named = Resource({"service.name": "croupier", "service.version": __version__})
        named = named.merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=named, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("croupier", __version__)

    def requests(self, inner: "ASGIApp", naming: Naming) -> "ASGIApp":
        """*inner*, with a span for each request, in the trace that the caller names, if any."""
        tracer, incoming = self._tracer, TraceContextTextMapPropagator()

        async def traced(scope: Any, receive: "Receive", send: "Send") -> None:
            if scope["type"] != "http":  # the application's own start and end
                await inner(scope, receive, send)
                return
            carrier = {
                name.decode(): value.decode("latin-1")
                for name, value in scope["headers"]
                if name in (b"traceparent", b"tracestate")
            }
            with tracer.start_as_current_span(
                scope["method"],
                incoming.extract(carrier),
                SpanKind.SERVER,
                {"http.request.method": scope["method"]},
                record_exception=False,
            ) as span:

                async def sent(message: "Message") -> None:
                    if message["type"] == "http.response.start":
                        _describe(span, scope, message["status"], *naming(scope))
                    await send(message)

                await inner(scope, receive, sent)

        return traced

    def use_cases(self, sessions: T) -> T:
        """*sessions*, with a span for each use case."""
        return cast(T, _Spans(sessions, self._tracer, "use case ", SpanKind.INTERNAL, {}))

    def store(self, store: T) -> T:
        """*store*, with a span for each call to it from within another span."""
        system = {"db.system.name": "redis"}
        return cast(T, _Spans(store, self._tracer, "store ", SpanKind.CLIENT, system))

    def stop(self) -> None:
        """Send what is left, if it is taken soon."""
        # The exporter tries again and again where nobody listens, whatever time force_flush is given.
        flushing = threading.Thread(target=self._provider.force_flush, daemon=True)
        flushing.start()
        flushing.join(_PATIENCE)


def _describe(span: Span, scope: Any, status: int, operation: str | None, session_id: str | None) -> None:
    route = scope.get("path_template")
    if route is not None:
        span.update_name(f"{scope['method']} {route}")
        span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("croupier.request_id", scope["request_id"])
    if operation is not None:
        span.set_attribute("croupier.operation", operation)
    if session_id is not None:
        span.set_attribute("croupier.session_id", session_id)
    if status >= 500:
        span.set_status(Status(StatusCode.ERROR))


class _Spans:
    """Stands before *target*. Its coroutine methods are wrapped when they are first asked for."""

    def __init__(
        self, target: Any, tracer: Tracer, prefix: str, kind: SpanKind, attributes: Mapping[str, str]
    ) -> None:
        self._target = target
        self._tracer = tracer
        self._prefix = prefix
        self._kind = kind
        self._attributes = attributes

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        if inspect.iscoroutinefunction(found):
            found = self._spanned(name, found)
        setattr(self, name, found)
        return found

    def _spanned(self, name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def spanned(*arguments: Any, **named: Any) -> Any:
            # Outside of a request, as in the sweep, every call would be a trace of its own.
            if not get_current_span().get_span_context().is_valid:
                return await method(*arguments, **named)
            with self._tracer.start_as_current_span(
                self._prefix + name,
                kind=self._kind,
                attributes=self._attributes,
                record_exception=False,
                set_status_on_exception=False,
            ) as span:
                try:
                    return await method(*arguments, **named)
                except Exception as error:
                    code = error.code if isinstance(error, CroupierError) else type(error).__name__
                    span.set_attribute("error.type", code)
                    span.set_status(Status(StatusCode.ERROR))
                    raise

        return spanned
