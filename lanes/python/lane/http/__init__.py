"""The HTTP server and client of the lane."""
