package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
)

// serving is what serve asks for.
type serving struct {
	Offers []offer `json:"offers"`
}

type offer struct {
	Subject   int    `json:"subject"`
	MediaType string `json:"media_type"`
}

// service answers requests over HTTP until the process ends.
type service struct {
	offers   []offered
	answered atomic.Int64
}

// offered is an offer with its payloads, and what transport answers with: by coding, by payload.
type offered struct {
	mediaType string
	payloads  *payloads
	made      map[string][][]byte
}

func (l *lane) serve(asked serving) (any, error) {
	if l.service != nil {
		return nil, errors.New("it serves already")
	}
	service := new(service)
	for _, offer := range asked.Offers {
		payloads, ok := l.loaded[offer.Subject]
		if !ok {
			return nil, fmt.Errorf("subject %d has no payloads", offer.Subject)
		}
		made, err := payloads.beforehand()
		if err != nil {
			return nil, err
		}
		service.offers = append(service.offers, offered{offer.MediaType, payloads, made})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /transport/{offer}/{nonce}", service.answer(false))
	mux.HandleFunc("GET /endpoint/{offer}/{nonce}", service.answer(true))
	l.service = service
	// It ends with the process.
	go http.Serve(listener, mux)
	return map[string]any{"port": listener.Addr().(*net.TCPAddr).Port}, nil
}

func (p *payloads) beforehand() (map[string][][]byte, error) {
	made := make(map[string][][]byte)
	for _, coding := range []string{"", "gzip"} {
		for index := range p.values {
			bytes, err := p.represent(index, coding)
			if err != nil {
				return nil, err
			}
			// A library may go on writing to what it returned.
			made[coding] = append(made[coding], append([]byte(nil), bytes...))
		}
	}
	return made, nil
}

func (s *service) answer(encode bool) http.HandlerFunc {
	return func(out http.ResponseWriter, request *http.Request) {
		index, err := strconv.Atoi(request.PathValue("offer"))
		nonce := request.PathValue("nonce")
		number, ok := requestNumber(nonce)
		if err != nil || index < 0 || index >= len(s.offers) || !ok {
			http.NotFound(out, request)
			return
		}
		coding := ""
		if request.Header.Get("Accept-Encoding") == "gzip" {
			coding = "gzip"
		}
		offer := &s.offers[index]
		body, err := offer.body(number%len(offer.payloads.values), coding, encode)
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

func (o *offered) body(index int, coding string, encode bool) (bytes []byte, err error) {
	if !encode {
		return o.made[coding][index], nil
	}
	// net/http would close the connection and say nothing of why.
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("panic: %v", failed)
		}
	}()
	return o.payloads.represent(index, coding)
}

// The length of a nonce, and of the request's number at its end.
const (
	nonceDigits  = 16
	numberDigits = 8
)

// requestNumber is the number that a nonce ends in.
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
		return nil, errors.New("it does not serve")
	}
	return map[string]any{"requests": s.answered.Load(), "cpu_ns": cpuNS(), "collections": collections()}, nil
}
