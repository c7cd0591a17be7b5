//go:build unix

package main

import "syscall"

// cpuNS returns the CPU time of the process, including that of the garbage collector.
func cpuNS() *int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return nil
	}
	spent := usage.Utime.Nano() + usage.Stime.Nano()
	return &spent
}
