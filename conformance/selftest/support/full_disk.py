"""A disk that is full, as far as this process is concerned."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_file_over(size: int) -> Generator[None]:
    """Lets no file of this process grow beyond `size` bytes; what fits is written, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
