"""What re-makes the paper's tables (arXiv:2606.17910): with frozen encoders, and by its whole recipe."""
