-- Vectors are kept as little-endian float16: half the bytes, cosines within 0.001. Python converts the rows that
-- are there (`migrations`). Turns and notes have their vectors here alone and no longer in the cache as well.
DELETE FROM embedding_cache;
