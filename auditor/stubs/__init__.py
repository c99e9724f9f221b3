"""Writes benchmark stubs for methods that no benchmark covers."""
