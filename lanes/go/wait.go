package main

import "time"

// timerLateness is about how late a sleeping goroutine wakes up. The alarm spins for that time.
const timerLateness = 60 * time.Microsecond

// until returns at an instant, and not before.
func (a *alarm) until(instant time.Time) {
	if left := time.Until(instant) - timerLateness; left > 0 {
		a.sleep(left)
	}
	for time.Now().Before(instant) {
	}
}
