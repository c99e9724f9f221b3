"""Types that an adapter and one feature share."""
