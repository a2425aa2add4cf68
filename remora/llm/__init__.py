"""Language models and rerankers, each behind one small protocol."""
