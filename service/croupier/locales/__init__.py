"""The words shown to people, by locale."""
