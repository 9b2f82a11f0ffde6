"""Masking: secrets and personal data out, everything else untouched.

`Redactor` is the only maker of `CleanEvent`; what it gives may be kept, what it was given may not.
"""

from omp.redact.engine import Engine, Kingfisher, Span
from omp.redact.marks import TYPES
from omp.redact.redactor import Masked, Redactor

__all__ = ["TYPES", "Engine", "Kingfisher", "Masked", "Redactor", "Span"]
