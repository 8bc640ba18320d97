"""Croupier: a stateless game server that deals three card games by the book."""

__version__ = "0.1.0"
