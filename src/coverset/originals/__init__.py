"""`coverset dataset`: what the authors of the paper's data sets publish, made into folders in BEIR layout."""
