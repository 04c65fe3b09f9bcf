"""A corrected query for any database: its ordinary search then ranks as NNN does."""

from __future__ import annotations

import numpy as np

from coverset import NNN

rng = np.random.default_rng(0)
corpus = rng.standard_normal((1000, 32)).astype(np.float32)
corpus /= np.linalg.norm(corpus, axis=1, keepdims=True)
query = corpus[3] + corpus[7]
query /= np.linalg.norm(query)

decoder = NNN(l1=0.05, l2=0.1)
better = decoder.rewrite(query, corpus)
ranked = np.argsort(-(corpus @ better))[:5]  # what a database does with it
print(ranked.tolist())
assert set(ranked.tolist()) == set(decoder.decode(query, corpus, k=5).ids.tolist())
