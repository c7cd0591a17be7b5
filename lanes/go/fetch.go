// The HTTP client of the verb fetch.

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

// fetchArguments has the arguments of fetch.
type fetchArguments struct {
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

// errorsMax is the number of errors after which no new requests are started.
const errorsMax = 100

// fetcher is the state of one fetch.
type fetcher struct {
	arguments fetchArguments
	coder     coder
	client    http.Client

	mutex     sync.Mutex
	next      int // the number of the next request
	planned   int // the number of requests planned since the clock started
	start     time.Time
	errors    int
	first     *string
	bytes     int64
	latencies []byte
	lags      []byte
}

func fetch(coder coder, arguments fetchArguments) (any, [][]byte, error) {
	if arguments.Connections < 1 || arguments.Rate != nil && !(*arguments.Rate > 0) {
		return nil, nil, fmt.Errorf("invalid number of connections (%d), or invalid rate", arguments.Connections)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost = arguments.Connections
	transport.MaxIdleConnsPerHost = arguments.Connections
	transport.DisableCompression = true
	defer transport.CloseIdleConnections()
	f := &fetcher{arguments: arguments, coder: coder, client: http.Client{Transport: transport}}
	f.each(func() {
		if err := f.request(f.number()); err != nil {
			f.failed(err)
		}
	})
	if f.errors > 0 {
		// The clock does not start: the figures would be meaningless.
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

// each runs a function on every connection, and waits for all of them.
func (f *fetcher) each(do func()) {
	var group sync.WaitGroup
	for range f.arguments.Connections {
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

// nextRequest returns the number of the next request and, in an open loop, the instant it is planned for.
func (f *fetcher) nextRequest() (number int, planned time.Time, ok bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var after time.Duration
	if f.arguments.Rate != nil {
		after = time.Duration(float64(f.planned) / *f.arguments.Rate * float64(time.Second))
		planned = f.start.Add(after)
	} else {
		after = time.Since(f.start)
	}
	if after > milliseconds(f.arguments.DurationMS) || f.planned >= f.arguments.Requests || f.errors >= errorsMax {
		return 0, planned, false
	}
	f.planned++
	f.next++
	return f.next - 1, planned, true
}

// work sends requests on one connection until none are left.
func (f *fetcher) work() {
	alarm := newAlarm()
	defer alarm.close()
	for {
		number, planned, ok := f.nextRequest()
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

// request sends one request, and reads the response.
func (f *fetcher) request(number int) error {
	url, nonce := f.arguments.URL, ""
	if f.arguments.Nonce != nil {
		nonce = fmt.Sprintf("%s%08x", *f.arguments.Nonce, number)
		url += nonce
	}
	deadline, cancel := context.WithTimeout(context.Background(), milliseconds(f.arguments.TimeoutMS))
	defer cancel()
	request, err := http.NewRequestWithContext(deadline, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for _, header := range f.arguments.Headers {
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
	if f.arguments.Decode {
		if err := f.decode(body[len(nonce):], response.Header.Get("Content-Encoding")); err != nil {
			return err
		}
	}
	f.mutex.Lock()
	f.bytes += int64(len(body))
	f.mutex.Unlock()
	return nil
}

// decode decodes a representation. A panic of a library is an error.
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
		return fmt.Errorf("unexpected content coding %q", coding)
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
