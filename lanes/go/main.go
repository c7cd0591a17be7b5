// The Go lane: responds to the requests of CONTRACT.md until the end of its input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

// request is a request of the orchestrator.
type request struct {
	Verb      string `json:"verb"`
	Subject   int    `json:"subject"`
	Operation string `json:"operation"`
	Window    []int  `json:"window"`
	Repeats   int    `json:"repeats"`
	Coding    string `json:"coding"`
	serveArguments
	fetchArguments
	schema
}

// lane is the state of the process.
type lane struct {
	subjects []subject
	schema   schema
	loaded   map[int]*payloads
	service  *service
	zeromq   bool // the process serves over ZeroMQ instead of HTTP
}

func main() {
	lane := lane{
		subjects: slices.Concat(jsonSubjects(), msgpackSubjects(), cborSubjects(), protobufSubjects(), avroSubjects(), bsonSubjects(), typedSubjects()),
		loaded:   make(map[int]*payloads),
		zeromq:   slices.Contains(os.Args[1:], "zeromq"),
	}
	if err := lane.handleRequests(bufio.NewReaderSize(os.Stdin, 1<<16), bufio.NewWriterSize(os.Stdout, 1<<16)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (l *lane) handleRequests(in *bufio.Reader, out *bufio.Writer) error {
	for {
		frame, err := readFrame(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		following, err := followingFrames(frame)
		if err != nil {
			return fmt.Errorf("invalid request: %w", err)
		}
		var frames [][]byte
		for range following {
			frame, err := readFrame(in)
			if err != nil {
				return err
			}
			frames = append(frames, frame)
		}
		if err := l.reply(out, frame, frames); err != nil {
			return err
		}
	}
}

// followingFrames returns the number of frames that follow a request. If it is unknown, so is the start
// of the next request.
func followingFrames(text []byte) (int, error) {
	var head struct {
		Verb     any `json:"verb"`
		Payloads int `json:"payloads"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return 0, err
	}
	if head.Payloads < 0 {
		return 0, fmt.Errorf("payloads is %d, expected the number of frames that follow", head.Payloads)
	}
	if head.Verb == "schema" {
		return 1, nil
	}
	return head.Payloads, nil
}

func (l *lane) reply(out *bufio.Writer, text []byte, frames [][]byte) error {
	answer, following, err := l.execute(text, frames)
	reply := map[string]any{"ok": answer}
	if err != nil {
		reply = map[string]any{"error": err.Error()}
		following = nil
	}
	head, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	for _, frame := range append([][]byte{head}, following...) {
		if err := writeFrame(out, frame); err != nil {
			return err
		}
	}
	return out.Flush()
}

// empty is the result of requests that return nothing.
type empty struct{}

// execute executes a request. A panic of a library is an error.
func (l *lane) execute(text []byte, frames [][]byte) (answer any, following [][]byte, err error) {
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("panic: %v", failed)
		}
	}()
	var req request
	if err := json.Unmarshal(text, &req); err != nil {
		return nil, nil, err
	}
	switch req.Verb {
	case "describe":
		zeromq := "go-zeromq/zmq4 " + version(zeromqPath)
		return map[string]any{
			"contract": 1,
			"lane":     "go",
			"runtime":  "Go " + strings.TrimPrefix(runtime.Version(), "go"),
			"subjects": l.subjects,
			"http":     map[string]any{"server": "net/http", "client": "net/http", "codings": []string{"gzip"}},
			"zeromq":   map[string]any{"server": zeromq, "client": zeromq, "codings": []string{"gzip"}},
		}, nil, nil
	case "schema":
		l.schema = req.schema
		l.schema.Descriptors = frames[0]
		return empty{}, nil, nil
	case "load":
		delete(l.loaded, req.Subject)
		if req.Subject < 0 || req.Subject >= len(l.subjects) {
			return nil, nil, fmt.Errorf("no subject %d", req.Subject)
		}
		loaded, err := load(l.subjects[req.Subject], &l.schema, frames)
		if err != nil {
			return nil, nil, err
		}
		l.loaded[req.Subject] = loaded
		return empty{}, nil, nil
	case "serve":
		answer, err := l.serve(req.serveArguments)
		return answer, nil, err
	case "served":
		answer, err := l.service.served()
		return answer, nil, err
	}
	payloads, ok := l.loaded[req.Subject]
	if !ok {
		return nil, nil, fmt.Errorf("subject %d has no payloads", req.Subject)
	}
	switch req.Verb {
	case "digest":
		digests, err := payloads.digests()
		return map[string]any{"digests": digests}, nil, err
	case "encode":
		written, err := payloads.encode()
		return map[string]any{"payloads": len(written)}, written, err
	case "fetch":
		return fetch(payloads.coder, req.fetchArguments)
	case "run", "memory":
		do, err := payloads.operation(req.Operation, req.Coding)
		if err != nil {
			return nil, nil, err
		}
		if req.Verb == "memory" {
			answer, err = memory(do, len(payloads.bytes))
		} else {
			if err := payloads.check(req.Window, req.Repeats); err != nil {
				return nil, nil, err
			}
			answer, err = run(do, req.Window, req.Repeats)
		}
		return answer, nil, err
	}
	return nil, nil, fmt.Errorf("unknown verb %s", req.Verb)
}

func (p *payloads) digests() ([]string, error) {
	digests := make([]string, 0, len(p.values))
	for _, value := range p.values {
		if p.coder.plain != nil {
			var err error
			if value, err = p.coder.plain(value); err != nil {
				return nil, err
			}
		}
		sum, err := digest(value)
		if err != nil {
			return nil, err
		}
		digests = append(digests, sum)
	}
	return digests, nil
}

func (p *payloads) encode() ([][]byte, error) {
	written := make([][]byte, 0, len(p.values))
	for _, value := range p.values {
		bytes, err := p.coder.encode(value)
		if err != nil {
			return nil, err
		}
		written = append(written, slices.Clone(bytes))
	}
	return written, nil
}
