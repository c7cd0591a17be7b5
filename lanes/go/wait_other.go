//go:build !linux

package main

import "time"

// alarm waits for instants, for one goroutine, with the timers of the runtime.
type alarm struct{}

func newAlarm() *alarm { return &alarm{} }

func (a *alarm) close() {}

func (a *alarm) sleep(duration time.Duration) { time.Sleep(duration) }
