//go:build unix

package main

import "syscall"

// cpuNS is the CPU time of the process: the collector's goroutines count too.
func cpuNS() *int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return nil
	}
	spent := usage.Utime.Nano() + usage.Stime.Nano()
	return &spent
}
