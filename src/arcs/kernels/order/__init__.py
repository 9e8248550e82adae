"""The compiled search over orders."""
