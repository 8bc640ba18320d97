"""The HTTP side: Litestar, schemas, problem documents, credentials."""
