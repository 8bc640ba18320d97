"""The names of the keys.

Every key of a session carries the session's hash tag, so that Redis Cluster keeps them in one slot. The tag
is the session's id; an id ``<tag>~<rest>`` carries the tag of its operator's meter in front, so that the
meter lies in the same slot and settles in the same commit.
"""

import re

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}(~[A-Za-z0-9_-]{1,64})?", re.ASCII)


def is_session_id(text: str) -> bool:
    """Whether *text* can be a session's id at all."""
    return _ID.fullmatch(text) is not None


class Keys:
    """Key names under one *prefix*."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.operators = f"{prefix}:operators"
        self.operator_keys = f"{prefix}:operator-keys"
        self.due = f"{prefix}:due"
        self.rates = f"{prefix}:rates"
        self.probe = f"{prefix}:probe"
        self.sessions = f"{prefix}:{{*"
        """A pattern that every session's keys match."""

    def session(self, session_id: str) -> str:
        """The hash that holds the session; its other keys begin with this name and a colon."""
        tag, meter, rest = session_id.partition("~")
        return f"{self._prefix}:{{{tag}}}{meter}{rest}"

    def events(self, session_id: str) -> str:
        """The stream of the session's events, and the channel on which their versions are told."""
        return f"{self.session(session_id)}:events"

    def session_id(self, key: str) -> str:
        """The id whose :meth:`session` is *key*."""
        return key[len(self._prefix) + 1 :].replace("{", "").replace("}", "")

    def meter(self, session_id: str) -> str | None:
        """The meter that the session settles on, if its id carries one's tag."""
        tag, meter, _ = session_id.partition("~")
        return self.meter_of(tag) if meter else None

    def meter_of(self, tag: str) -> str:
        """The operator's progressive meter."""
        return f"{self._prefix}:{{{tag}}}:meter"

    def claim_of(self, slot: str) -> str:
        """The session that an answer's slot stands for."""
        return f"{self._prefix}:claim:{slot}"

    def list_of(self, operator: str) -> str:
        """The sorted set of an operator's sessions, by the time of their start."""
        return f"{self._prefix}:sessions:{operator}"
