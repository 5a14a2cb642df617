"""Benchmarks: what the product costs, beside what others cost in the same run."""
