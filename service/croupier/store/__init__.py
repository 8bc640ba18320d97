"""Redis or Valkey behind the ports of the sessions room."""
