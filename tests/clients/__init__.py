"""Clients that others generate from the OpenAPI document, and the linter that keeps it fit for that."""
