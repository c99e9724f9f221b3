"""What each language and harness brings; the only package that knows concrete classes."""
