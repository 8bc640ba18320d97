"""The use cases: start, deal, decide, void, close, read the ledger."""
