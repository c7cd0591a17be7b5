// The verb fetch, and its HTTP client.

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
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

// connection requests one response at a time.
type connection interface {
	// get returns the body of the response to the request with a nonce, and the content coding.
	get(nonce string) (body []byte, coding string, err error)
	close()
}

// fetcher is the state of one fetch.
type fetcher struct {
	arguments   fetchArguments
	coder       coder
	connections []connection

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
	connections, err := connect(&arguments)
	if err != nil {
		return nil, nil, err
	}
	f := &fetcher{arguments: arguments, coder: coder, connections: connections}
	defer f.each(connection.close)
	f.each(func(connection connection) {
		if err := f.request(connection, f.number()); err != nil {
			f.failed(err)
		}
	})
	if f.errors > 0 {
		// The clock does not start: the figures would be meaningless.
		return nil, nil, fmt.Errorf("the first request failed: %s", *f.first)
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

// connect prepares the connections, which open with their first requests. The scheme of the URL
// selects HTTP or ZeroMQ.
func connect(arguments *fetchArguments) ([]connection, error) {
	var connections []connection
	if strings.HasPrefix(arguments.URL, zeromqScheme) {
		for range arguments.Connections {
			client, err := newZeromqClient(arguments)
			if err != nil {
				return nil, err
			}
			connections = append(connections, client)
		}
		return connections, nil
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost = arguments.Connections
	transport.MaxIdleConnsPerHost = arguments.Connections
	transport.DisableCompression = true
	client := &httpClient{arguments, codingNone, http.Client{Transport: transport}}
	for _, header := range arguments.Headers {
		if strings.EqualFold(header[0], "Accept-Encoding") {
			client.coding = header[1]
		}
	}
	for range arguments.Connections {
		connections = append(connections, client)
	}
	return connections, nil
}

// each runs a function on every connection, and waits for all of them.
func (f *fetcher) each(do func(connection)) {
	var group sync.WaitGroup
	for _, connection := range f.connections {
		group.Go(func() { do(connection) })
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
func (f *fetcher) work(connection connection) {
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
		err := f.request(connection, number)
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
func (f *fetcher) request(connection connection, number int) error {
	nonce := ""
	if f.arguments.Nonce != nil {
		nonce = fmt.Sprintf("%s%08x", *f.arguments.Nonce, number)
	}
	body, coding, err := connection.get(nonce)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(body, []byte(nonce)) {
		return fmt.Errorf("expected a body that begins with %s, found %.40q", nonce, body)
	}
	if f.arguments.Decode {
		if err := f.decode(body[len(nonce):], coding); err != nil {
			return err
		}
	}
	f.mutex.Lock()
	f.bytes += int64(len(body))
	f.mutex.Unlock()
	return nil
}

// httpClient sends requests over the pool of an HTTP client, which chooses the connection for each
// request.
type httpClient struct {
	arguments *fetchArguments
	coding    string // the one that the requests accept
	client    http.Client
}

func (c *httpClient) get(nonce string) (body []byte, coding string, err error) {
	deadline, cancel := context.WithTimeout(context.Background(), milliseconds(c.arguments.TimeoutMS))
	defer cancel()
	request, err := http.NewRequestWithContext(deadline, http.MethodGet, c.arguments.URL+nonce, nil)
	if err != nil {
		return nil, "", err
	}
	for _, header := range c.arguments.Headers {
		request.Header.Add(header[0], header[1])
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		return nil, "", err
	}
	if response.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("status %s: %.200q", response.Status, body)
	}
	coding = response.Header.Get("Content-Encoding")
	if coding != "" && coding != codingNone && coding != c.coding {
		return nil, "", fmt.Errorf("unexpected content coding %.80q", coding)
	}
	return body, coding, nil
}

func (c *httpClient) close() {
	c.client.CloseIdleConnections()
}

// decode decodes a representation. A panic of a library is returned as an error.
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
