"""Search: one ranked list from words and meaning, in English and Chinese.

index = Index.build(documents, vectors)
index.search("which cache do we use", k=5, query_vector=vector)
"""

from __future__ import annotations

from omp.search.index import Document, Hit, Hits, Index, dense_weight, digest_of

__all__ = ["Document", "Hit", "Hits", "Index", "dense_weight", "digest_of"]
