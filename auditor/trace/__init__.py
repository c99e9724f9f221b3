"""Which public methods are called, by clients and by the project's own suite."""
