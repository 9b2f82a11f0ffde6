"""Search: one ranked list from words and meaning, in English and Chinese.

    index = Index.build(documents, vectors)
    hits = index.search("which cache do we use", k=5, query_vector=vector)
    expand(hits.hits, texts, groups, budget=800)

BM25 is our own over numpy arrays, because the mix needs the score of every document and feedback needs its terms, and
because it costs no dependency. Measured with the same terms on two cores, 10,000 / 100,000 short documents, one query
p50 in ms: ours 0.1 / 0.6; tantivy 0.2 / 0.4 (17 MB of binary, only the first k); bm25s 0.6 / 6.0 (no forward index, so
no feedback and no cheap update); SQLite FTS5 3.2 / 25 (p95 66 / 700 with common Chinese characters). Building takes
about as long with each, since reading the texts dominates. `references/search.md` has the rest.
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
