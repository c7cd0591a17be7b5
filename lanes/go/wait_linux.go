package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm waits for instants, for one goroutine. The runtime's own timers are up to a millisecond late,
// because epoll_wait counts in milliseconds. Spinning instead would keep other goroutines from reading
// responses on a single core. A timerfd is a file, and so wakes the runtime at once, as a response does.
type alarm struct {
	timer int
	file  *os.File // nil if the system has no timerfd
}

func newAlarm() *alarm {
	timer, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return &alarm{}
	}
	return &alarm{timer, os.NewFile(uintptr(timer), "timer")}
}

func (a *alarm) close() {
	if a.file != nil {
		a.file.Close()
	}
}

// sleep returns after a duration, or somewhat later.
func (a *alarm) sleep(duration time.Duration) {
	if a.file != nil {
		once := unix.ItimerSpec{Value: unix.NsecToTimespec(duration.Nanoseconds())}
		var expirations [8]byte
		if unix.TimerfdSettime(a.timer, 0, &once, nil) == nil {
			if _, err := a.file.Read(expirations[:]); err == nil {
				return
			}
		}
	}
	time.Sleep(duration)
}
