"""The ZeroMQ server and client of the lane."""
