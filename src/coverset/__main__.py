"""`python -m coverset` is `coverset`."""

from coverset.cli import main

main()
