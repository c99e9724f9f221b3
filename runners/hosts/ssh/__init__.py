"""A machine that is reached over ssh: a tree kept alike, and jobs that no connection holds."""
