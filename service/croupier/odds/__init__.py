"""Exact expected values and house edges; stands on the rules alone."""
