"""A tiny fourth game, added without touching the code: what docs/adding-a-game.md tells."""
