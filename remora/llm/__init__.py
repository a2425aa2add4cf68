"""Language models and rerankers, each with one small protocol."""
