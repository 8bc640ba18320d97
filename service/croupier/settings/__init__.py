"""Every setting of the server, read once; see :mod:`croupier.settings.model`."""

from croupier.settings.kinds import KEY_RECIPE, OperatorKey, WrongSetting, operator_name
from croupier.settings.model import Settings, allowed, default, read, secret, variable

__all__ = [
    "KEY_RECIPE",
    "OperatorKey",
    "Settings",
    "WrongSetting",
    "allowed",
    "default",
    "operator_name",
    "read",
    "secret",
    "variable",
]
