"""An array in memory, searched exactly: scanned whole, or screened for what can have changed."""
