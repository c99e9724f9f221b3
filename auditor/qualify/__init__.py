"""Audits the user's own performance gate with injected slowdowns."""
