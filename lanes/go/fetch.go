package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// fetching is what fetch asks for.
type fetching struct {
	URL         string      `json:"url"`
	Nonce       *string     `json:"nonce"`
	Headers     [][2]string `json:"headers"`
	Decode      bool        `json:"decode"`
	Connections int         `json:"connections"`
	Rate        *float64    `json:"rate"`
	Requests    int         `json:"requests"`
	DurationMS  float64     `json:"duration_ms"`
	TimeoutMS   float64     `json:"timeout_ms"`
}

// After so many errors no more requests are begun.
const errorsMax = 100

// fetcher is one fetch under way.
type fetcher struct {
	asked  fetching
	coder  coder
	client http.Client

	mutex     sync.Mutex
	next      int // the number of the next request
	planned   int // how many were planned since the clock started
	start     time.Time
	errors    int
	first     *string
	bytes     int64
	latencies []byte
	lags      []byte
}

func fetch(coder coder, asked fetching) (any, [][]byte, error) {
	if asked.Connections < 1 || asked.Rate != nil && !(*asked.Rate > 0) {
		return nil, nil, fmt.Errorf("%d connections, or a rate that is none", asked.Connections)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost = asked.Connections
	transport.MaxIdleConnsPerHost = asked.Connections
	transport.DisableCompression = true
	defer transport.CloseIdleConnections()
	f := &fetcher{asked: asked, coder: coder, client: http.Client{Transport: transport}}
	f.each(func() {
		if err := f.request(f.number()); err != nil {
			f.failed(err)
		}
	})
	if f.errors > 0 {
		// The clock never starts: no figure would mean anything.
		return nil, nil, fmt.Errorf("the first request: %s", *f.first)
	}
	f.bytes = 0
	collected, cpu := collections(), cpuNS()
	f.start = time.Now()
	f.each(f.work)
	answer := map[string]any{
		"requests": len(f.latencies) / 8, "errors": f.errors, "error": f.first,
		"body_bytes": f.bytes, "wall_ns": time.Since(f.start).Nanoseconds(), "cpu_ns": nil,
		"collections": collections() - collected,
	}
	if after := cpuNS(); cpu != nil && after != nil {
		answer["cpu_ns"] = *after - *cpu
	}
	return answer, [][]byte{f.latencies, f.lags}, nil
}

// each does something on every connection, and waits until all have done it.
func (f *fetcher) each(do func()) {
	var group sync.WaitGroup
	for range f.asked.Connections {
		group.Go(do)
	}
	group.Wait()
}

func (f *fetcher) number() int {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.next++
	return f.next - 1
}

// turn is a request to be made: its number, and the instant it is planned for, if there is one.
func (f *fetcher) turn() (number int, planned time.Time, ok bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var after time.Duration
	if f.asked.Rate != nil {
		after = time.Duration(float64(f.planned) / *f.asked.Rate * float64(time.Second))
		planned = f.start.Add(after)
	} else {
		after = time.Since(f.start)
	}
	if after > milliseconds(f.asked.DurationMS) || f.planned >= f.asked.Requests || f.errors >= errorsMax {
		return 0, planned, false
	}
	f.planned++
	f.next++
	return f.next - 1, planned, true
}

// work makes requests on one connection until there are no more to be made.
func (f *fetcher) work() {
	alarm := newAlarm()
	defer alarm.close()
	for {
		number, planned, ok := f.turn()
		if !ok {
			return
		}
		open := !planned.IsZero()
		if open {
			alarm.until(planned)
		}
		sent := time.Now()
		counted := sent
		if open {
			counted = planned
		}
		err := f.request(number)
		latency := time.Since(counted)
		if err != nil {
			f.failed(err)
			continue
		}
		f.mutex.Lock()
		f.latencies = binary.BigEndian.AppendUint64(f.latencies, uint64(latency))
		if open {
			f.lags = binary.BigEndian.AppendUint64(f.lags, uint64(max(0, sent.Sub(planned))))
		}
		f.mutex.Unlock()
	}
}

func (f *fetcher) failed(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.errors++
	if f.first == nil {
		words := err.Error()
		f.first = &words
	}
}

// request makes one request and reads its answer.
func (f *fetcher) request(number int) error {
	url, nonce := f.asked.URL, ""
	if f.asked.Nonce != nil {
		nonce = fmt.Sprintf("%s%08x", *f.asked.Nonce, number)
		url += nonce
	}
	deadline, cancel := context.WithTimeout(context.Background(), milliseconds(f.asked.TimeoutMS))
	defer cancel()
	request, err := http.NewRequestWithContext(deadline, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for _, header := range f.asked.Headers {
		request.Header.Add(header[0], header[1])
	}
	response, err := f.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s: %.200q", response.Status, body)
	}
	if !bytes.HasPrefix(body, []byte(nonce)) {
		return fmt.Errorf("expected a body that begins with %s, found %.40q", nonce, body)
	}
	if f.asked.Decode {
		if err := f.decode(body[len(nonce):], response.Header.Get("Content-Encoding")); err != nil {
			return err
		}
	}
	f.mutex.Lock()
	f.bytes += int64(len(body))
	f.mutex.Unlock()
	return nil
}

// decode makes a value of a representation. A library that panics has refused.
func (f *fetcher) decode(bytes []byte, coding string) (err error) {
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("panic: %v", failed)
		}
	}()
	switch coding {
	case "", "identity":
	case "gzip":
		if bytes, err = inflate(bytes); err != nil {
			return err
		}
	default:
		return fmt.Errorf("a coding nobody asked for: %q", coding)
	}
	value, err := f.coder.decode(bytes)
	if err != nil {
		return err
	}
	f.mutex.Lock()
	sink = value
	f.mutex.Unlock()
	return nil
}

func milliseconds(count float64) time.Duration {
	return time.Duration(count * float64(time.Millisecond))
}
