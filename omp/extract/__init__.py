"""What is worth a look in a conversation: candidates, always a function of the whole session so far."""

from omp.extract.evidence import Index
from omp.extract.rules import candidates

__all__ = ["Index", "candidates"]
