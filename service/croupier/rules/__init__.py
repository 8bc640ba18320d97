"""The games, by the book. Pure: standard library only, no clock, no randomness, no I/O."""
