"""What was tried from outside to break the store and the service, with new seeds, for as long as one likes."""
