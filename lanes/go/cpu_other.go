//go:build !unix

package main

// cpuNS returns nil: the CPU time is not available on this system.
func cpuNS() *int64 { return nil }
