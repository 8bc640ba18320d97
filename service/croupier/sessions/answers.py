"""Finished answers, and where they are kept for a retry."""

import base64
import hashlib
from dataclasses import replace
from typing import Any

import msgspec

from croupier.sessions.errors import IdempotencyKeyReused
from croupier.sessions.ports import Answer, AnswerSlot, KeptAnswer
from croupier.sessions.requests import Caller, Retry
from croupier.sessions.session import Session


def answer(status: int, view: Any, session: Session | None = None) -> Answer:
    """*view* as JSON, with the session's version as its ETag."""
    return Answer(status, msgspec.json.encode(view), etag=None if session is None else etag(session))


def etag(session: Session) -> str:
    """The session's version as an entity tag."""
    return f'"{session.version}"'


def slot_of(caller: Caller, retry: Retry | None) -> AnswerSlot | None:
    """Where the answer to a retry's key is kept: by caller, path and key, beside the body's digest."""
    if retry is None:
        return None
    who = f"token:{caller.token}" if caller.token is not None else f"operator:{caller.operator}"
    return AnswerSlot(_digest(f"{who}\0{retry.path}\0{retry.key}".encode()), _digest(retry.body))


def replayed(kept: KeptAnswer, slot: AnswerSlot) -> Answer:
    """The kept answer again. Raises ``IdempotencyKeyReused`` when it answered another body."""
    if kept.body_digest != slot.body_digest:
        raise reused()
    return replace(kept.answer, replayed=True)


def reused() -> IdempotencyKeyReused:
    """The refusal of a key that stands for another body."""
    return IdempotencyKeyReused("This Idempotency-Key came before with another body; use a new key.")


def _digest(text: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()[:18]).decode()
