"""Embeddings made for joint decoding: training through the decoder (extra `train`)."""
