"""Why an answer is what it is, and what sets it apart from others."""
