"""From what the user names to a tree in a folder of ours; the user's own is never written to."""
