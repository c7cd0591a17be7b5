package main

import "time"

// Whoever sleeps is woken up to about this much late; the rest of the way is waited out.
const wakingUp = 60 * time.Microsecond

// until returns at an instant, and not before.
func (a *alarm) until(instant time.Time) {
	if left := time.Until(instant) - wakingUp; left > 0 {
		a.sleep(left)
	}
	for time.Now().Before(instant) {
	}
}
