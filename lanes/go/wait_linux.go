package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm waits for instants, for one goroutine. The timers of the runtime come up to a millisecond
// late, since epoll_wait counts in those; and while a goroutine waited an instant out instead, nobody
// would read what has arrived, where there is one core. A timer that is a file wakes the runtime as
// an answer does: at once.
type alarm struct {
	timer int
	file  *os.File // nil where the system has no such timers
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

// sleep returns after so long, or somewhat later.
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
