package main

import "time"

// timerLateness is the approximate delay with which a sleeping goroutine wakes up. The alarm sleeps
// until this long before an instant, and then spins.
const timerLateness = 60 * time.Microsecond

// until returns at an instant, and not before.
func (a *alarm) until(instant time.Time) {
	if left := time.Until(instant) - timerLateness; left > 0 {
		a.sleep(left)
	}
	for time.Now().Before(instant) {
	}
}
