// The verb serve, and its HTTP server.

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
)

// serveArguments has the arguments of serve.
type serveArguments struct {
	Offers []offer `json:"offers"`
}

type offer struct {
	Subject   int    `json:"subject"`
	MediaType string `json:"media_type"`
}

// service responds to requests until the process ends.
type service struct {
	offers   []preparedOffer
	answered atomic.Int64
}

// preparedOffer is an offer with its payloads, and the bodies of the transport meter by coding and
// payload.
type preparedOffer struct {
	mediaType string
	payloads  *payloads
	bodies    map[string][][]byte
}

func (l *lane) serve(arguments serveArguments) (any, error) {
	if l.service != nil {
		return nil, errors.New("the server is already running")
	}
	service := new(service)
	for _, offer := range arguments.Offers {
		payloads, ok := l.loaded[offer.Subject]
		if !ok {
			return nil, fmt.Errorf("subject %d has no payloads", offer.Subject)
		}
		bodies, err := payloads.prepareBodies()
		if err != nil {
			return nil, err
		}
		service.offers = append(service.offers, preparedOffer{offer.MediaType, payloads, bodies})
	}
	listen := service.listenHTTP
	if l.zeromq {
		listen = service.listenZeromq
	}
	port, err := listen()
	if err != nil {
		return nil, err
	}
	l.service = service
	return map[string]any{"port": port}, nil
}

// listenHTTP serves until the process ends, and returns the port.
func (s *service) listenHTTP() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /transport/{offer}/{nonce}", s.answer(false))
	mux.HandleFunc("GET /endpoint/{offer}/{nonce}", s.answer(true))
	go func() {
		// The server retries after errors that may pass, and ends with any other.
		err := http.Serve(listener, mux)
		fmt.Fprintln(os.Stderr, "the server cannot continue:", err)
		os.Exit(1)
	}()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (p *payloads) prepareBodies() (map[string][][]byte, error) {
	bodies := make(map[string][][]byte)
	for _, coding := range []string{"", "gzip"} {
		for index := range p.values {
			bytes, err := p.represent(index, coding)
			if err != nil {
				return nil, err
			}
			// A library may reuse the buffer that it returned.
			bodies[coding] = append(bodies[coding], append([]byte(nil), bytes...))
		}
	}
	return bodies, nil
}

func (s *service) answer(encode bool) http.HandlerFunc {
	return func(out http.ResponseWriter, request *http.Request) {
		nonce := request.PathValue("nonce")
		offer, index := s.find(request.PathValue("offer"), nonce)
		if offer == nil {
			http.NotFound(out, request)
			return
		}
		coding := ""
		if request.Header.Get("Accept-Encoding") == "gzip" {
			coding = "gzip"
		}
		body, err := offer.body(index, coding, encode)
		if err != nil {
			http.Error(out, err.Error(), http.StatusInternalServerError)
			return
		}
		header := out.Header()
		header.Set("Content-Type", offer.mediaType)
		header.Set("Content-Length", strconv.Itoa(len(nonce)+len(body)))
		if coding != "" {
			header.Set("Content-Encoding", coding)
		}
		s.answered.Add(1)
		io.WriteString(out, nonce)
		out.Write(body)
	}
}

// find returns the offer with a number, and the index of its payload for a nonce. It returns nil if
// there is no such offer or payload.
func (s *service) find(offer, nonce string) (*preparedOffer, int) {
	at, err := strconv.Atoi(offer)
	number, ok := requestNumber(nonce)
	if err != nil || at < 0 || at >= len(s.offers) || !ok || len(s.offers[at].payloads.values) == 0 {
		return nil, 0
	}
	found := &s.offers[at]
	return found, number % len(found.payloads.values)
}

func (o *preparedOffer) body(index int, coding string, encode bool) (bytes []byte, err error) {
	if !encode {
		return o.bodies[coding][index], nil
	}
	// On a panic, net/http would close the connection without an error message.
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("panic: %v", failed)
		}
	}()
	return o.payloads.represent(index, coding)
}

// nonceDigits is the length of a nonce, and numberDigits that of the request number at its end.
const (
	nonceDigits  = 16
	numberDigits = 8
)

// requestNumber returns the request number at the end of a nonce, and whether the nonce is valid.
func requestNumber(nonce string) (int, bool) {
	if len(nonce) != nonceDigits {
		return 0, false
	}
	for _, digit := range []byte(nonce) {
		if (digit < '0' || digit > '9') && (digit < 'a' || digit > 'f') {
			return 0, false
		}
	}
	number, err := strconv.ParseUint(nonce[nonceDigits-numberDigits:], 16, 32)
	return int(number), err == nil
}

func (s *service) served() (any, error) {
	if s == nil {
		return nil, errors.New("the server is not running")
	}
	return map[string]any{"requests": s.answered.Load(), "cpu_ns": cpuNS(), "collections": collections()}, nil
}
