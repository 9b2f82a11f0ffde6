"""`omp`: a git-native memory for people who work with coding agents.

    sources -> redact -> extract -> classify -> rot -> store -> themes

Importing the package imports nothing heavy; names are resolved when first asked for.
"""

__version__ = "0.1.0"
