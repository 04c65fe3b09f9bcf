"""The HTTP service and its page: `coverset serve`."""
