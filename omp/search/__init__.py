"""Search: one ranked list from words and meaning, in English and Chinese.

    index = Index.build(documents, vectors)
    hits = index.search("which cache do we use", k=5, query_vector=vector)
    expand(hits.hits, texts, groups, budget=800)

BM25 is our own over numpy arrays: see `references/search.md` for what it was compared with and the figures.
"""

from __future__ import annotations

from omp.search.expand import EXPANSION, Expanded, Group, Item, expand, tokens
from omp.search.index import Document, Hit, Hits, Index, dense_weight, digest_of

__all__ = [
    "EXPANSION",
    "Document",
    "Expanded",
    "Group",
    "Hit",
    "Hits",
    "Index",
    "Item",
    "dense_weight",
    "digest_of",
    "expand",
    "tokens",
]
