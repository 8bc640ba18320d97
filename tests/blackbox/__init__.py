"""Croupier from outside: a real server process, and what it answers over HTTP."""
