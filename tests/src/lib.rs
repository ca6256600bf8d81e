//! What the whole-program tests share: the oracle, the corpus, the spec pages.
