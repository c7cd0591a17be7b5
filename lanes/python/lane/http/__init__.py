"""The lane as a server, and as a client of one."""
