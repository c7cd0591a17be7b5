package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestAlarmReturnsAtItsInstants(t *testing.T) {
	alarm := newAlarm()
	defer alarm.close()
	// A timer with a resolution of milliseconds would be half a millisecond late. Other programs can
	// delay any thread, so one of several attempts must succeed.
	const limit = 300 * time.Microsecond
	median := time.Hour
	for times := 0; times < 5 && median > limit; times++ {
		median = min(median, medianLateness(t, alarm))
	}
	if median > limit && isBusy() {
		t.Skipf("other programs take the machine: the median is %s late", median)
	}
	if median > limit {
		t.Errorf("the median is %s late", median)
	}
}

// isBusy reports whether recently more threads than cores were runnable.
func isBusy() bool {
	var load float64
	text, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, err = fmt.Sscan(string(text), &load)
	}
	return err == nil && load > float64(runtime.NumCPU())
}

func medianLateness(t *testing.T, alarm *alarm) time.Duration {
	var late []time.Duration
	for number := range 50 {
		planned := time.Now().Add(time.Duration(100+37*number) * time.Microsecond)
		alarm.until(planned)
		if late = append(late, time.Since(planned)); late[number] < 0 {
			t.Fatalf("instant %d came %s early", number, -late[number])
		}
	}
	slices.Sort(late)
	return late[len(late)/2]
}

// On one core, waiting must not delay the reading of responses: latencies would then include the
// waiting time.
func TestWaitingDoesNotDelayReading(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if echo, err := listener.Accept(); err == nil {
			io.Copy(echo, echo)
		}
	}()
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		alarm := newAlarm()
		defer alarm.close()
		planned := time.Now()
		for range 200 {
			planned = planned.Add(time.Millisecond)
			alarm.until(planned)
		}
	}()
	answers, letter := 0, []byte{1}
	for waiting := true; waiting; answers++ {
		if _, err := connection.Write(letter); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(connection, letter); err != nil {
			t.Fatal(err)
		}
		select {
		case <-waited:
			waiting = false
		default:
		}
	}
	// With a spinning wait, the core would read about one response in ten milliseconds.
	if answers < 200 {
		t.Errorf("%d answers in 200 milliseconds", answers)
	}
}
