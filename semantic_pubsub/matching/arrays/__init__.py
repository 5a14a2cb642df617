"""What both kinds of index stand on: tables that grow, bits, grids, compiled kernels, and files of arrays."""

__all__: list[str] = []
