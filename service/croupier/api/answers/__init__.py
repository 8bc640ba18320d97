"""What answers look like, as Pydantic models: they document, and tests hold real answers against them.

Answers are written by the use cases as ready bytes, so no request pays for these models. They are closed
here, so that a test notices a field nobody described; the OpenAPI document leaves them open, because later
versions may add fields.
"""
