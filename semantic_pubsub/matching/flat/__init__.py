"""Flat matching: events as pairs of attribute and value, subscriptions as constraints on them, and their indexes."""

__all__: list[str] = []
