"""Source text in, overlays out. No input or output."""
