"""Coverset inside other people's frameworks: one part per framework, one extra each."""
