"""Which tests are generated, and what their times say; pure."""
