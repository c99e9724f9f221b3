"""The result in the formats of other tools."""
