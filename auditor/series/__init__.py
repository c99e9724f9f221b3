"""Series of iteration times, stored by other tools or measured here."""
