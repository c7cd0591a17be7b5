// The server and the client over ZeroMQ, of the verbs serve and fetch.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/transport"
)

// zeromqPath is the import path of the library.
const zeromqPath = "github.com/go-zeromq/zmq4"

// A request and a response have three frames. No frame may be empty, because the library reads an
// empty frame as the end of an envelope.
const (
	frameMediaType = iota
	frameCoding
	frameContent // of a request the target, of a response the body
	frameCount
)

// codingNone is the name in a frame of the coding that leaves a body unchanged.
const codingNone = "identity"

// failureType is the media type of a response that describes a failure.
const failureType = "text/plain"

// replyTimeout is the time limit for handing a response to the connection.
const replyTimeout = 5 * time.Second

// listenZeromq serves on a REP socket, which answers one request at a time, and returns the port.
func (s *service) listenZeromq() (int, error) {
	socket := zmq4.NewRep(context.Background(), zmq4.WithTimeout(replyTimeout))
	if err := socket.Listen("tcp://127.0.0.1:0"); err != nil {
		return 0, err
	}
	go s.answerZeromq(socket)
	return socket.Addr().(*net.TCPAddr).Port, nil
}

// answerZeromq answers requests until the process ends. Recv needs no time limit: the library reads
// each connection in its own goroutine, so a dead peer does not delay other peers.
func (s *service) answerZeromq(socket zmq4.Socket) {
	for {
		request, err := socket.Recv()
		if errors.Is(err, context.Canceled) {
			return
		}
		if err != nil {
			// A message without an envelope does not name the peer to respond to.
			continue
		}
		response, err := s.respond(request.Frames)
		if err != nil {
			response = [][]byte{[]byte(failureType), []byte(codingNone), []byte(err.Error())}
		} else {
			s.answered.Add(1)
		}
		// If a response cannot be sent, its peer has disconnected.
		_ = socket.SendMulti(zmq4.NewMsgFrom(response...))
	}
}

// respond returns the frames of a response.
func (s *service) respond(request [][]byte) ([][]byte, error) {
	if len(request) != frameCount {
		return nil, fmt.Errorf("expected a request of %d frames, found %d", frameCount, len(request))
	}
	target := string(request[frameContent])
	parts := strings.Split(target, "/")
	if len(parts) != 4 || parts[0] != "" || parts[1] != "transport" && parts[1] != "endpoint" {
		return nil, fmt.Errorf("unknown target %.80q", target)
	}
	nonce := parts[3]
	offer, index := s.find(parts[2], nonce)
	if offer == nil {
		return nil, fmt.Errorf("unknown target %.80q", target)
	}
	if string(request[frameMediaType]) != offer.mediaType {
		return nil, fmt.Errorf("expected the media type %s, found %.80q", offer.mediaType, request[frameMediaType])
	}
	coding := string(request[frameCoding])
	switch coding {
	case codingNone:
		coding = ""
	case "gzip":
	default:
		return nil, fmt.Errorf("unknown content coding %.80q: expected identity or gzip", coding)
	}
	representation, err := offer.body(index, coding, parts[1] == "endpoint")
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, len(nonce)+len(representation))
	body = append(append(body, nonce...), representation...)
	return [][]byte{request[frameMediaType], request[frameCoding], body}, nil
}

// zeromqClient sends requests on a REQ socket, one at a time.
type zeromqClient struct {
	host      string // with its port
	target    string // the part of the URL that follows
	mediaType string
	coding    string
	timeout   time.Duration
	socket    zmq4.Socket // nil before the first request and after a failure
}

// newZeromqClient reads the URL and the header fields of fetch: Accept becomes the first frame, Accept-Encoding
// the second.
func newZeromqClient(arguments *fetchArguments) (*zeromqClient, error) {
	address, ok := strings.CutPrefix(arguments.URL, zeromqScheme)
	host, target, found := strings.Cut(address, "/")
	if !ok || !found {
		return nil, fmt.Errorf("invalid URL %.80q", arguments.URL)
	}
	client := &zeromqClient{
		host: host, target: "/" + target, coding: codingNone,
		timeout: milliseconds(arguments.TimeoutMS),
	}
	for _, header := range arguments.Headers {
		switch strings.ToLower(header[0]) {
		case "accept":
			client.mediaType = header[1]
		case "accept-encoding":
			client.coding = header[1]
		}
	}
	if client.mediaType == "" {
		return nil, errors.New("no media type: expected a header field Accept")
	}
	return client, nil
}

// zeromqScheme is the beginning of the URL of a ZeroMQ server.
const zeromqScheme = "tcp://"

func (c *zeromqClient) get(nonce string) (body []byte, coding string, err error) {
	if c.socket == nil {
		if c.socket, err = c.dial(); err != nil {
			return nil, "", err
		}
	}
	socket := c.socket
	// Recv has no time limit, but ends when its socket is closed. A REQ socket without its response
	// cannot send again.
	alarm := time.AfterFunc(c.timeout, func() { socket.Close() })
	response, err := c.exchange(nonce)
	if !alarm.Stop() {
		c.socket = nil
		return nil, "", fmt.Errorf("no response after %v", c.timeout)
	}
	if err != nil {
		c.close()
		return nil, "", err
	}
	if len(response) != frameCount {
		return nil, "", fmt.Errorf("expected a response of %d frames, found %d", frameCount, len(response))
	}
	mediaType, content := response[frameMediaType], response[frameContent]
	if !bytes.Equal(mediaType, []byte(c.mediaType)) {
		return nil, "", fmt.Errorf("expected %s, found %.80q: %.200q", c.mediaType, mediaType, content)
	}
	coding = string(response[frameCoding])
	if coding != codingNone && coding != c.coding {
		return nil, "", fmt.Errorf("unexpected content coding %.80q", coding)
	}
	return content, coding, nil
}

// exchange sends a request and receives the frames of its response.
func (c *zeromqClient) exchange(nonce string) ([][]byte, error) {
	// SendMulti writes all frames by one system call.
	request := zmq4.NewMsgFrom([]byte(c.mediaType), []byte(c.coding), []byte(c.target+nonce))
	if err := c.socket.SendMulti(request); err != nil {
		return nil, err
	}
	response, err := c.socket.Recv()
	return response.Frames, err
}

// dial connects a new socket. The library has no time limit for the handshake, so dial returns an
// error after the timeout if a peer accepts the connection and sends nothing.
func (c *zeromqClient) dial() (zmq4.Socket, error) {
	options := []zmq4.Option{
		zmq4.WithDialerTimeout(c.timeout), zmq4.WithTimeout(c.timeout), zmq4.WithDialerMaxRetries(0),
	}
	socket := zmq4.NewReq(context.Background(), options...)
	connected := make(chan error, 1)
	go func() {
		err := socket.Dial(clientScheme + c.host)
		if err != nil {
			// The library names the endpoint with the scheme of clientTransport, which is internal.
			err = errors.New(strings.ReplaceAll(err.Error(), clientScheme, zeromqScheme))
		}
		connected <- err
	}()
	var err error
	select {
	case err = <-connected:
	case <-time.After(c.timeout):
		err = fmt.Errorf("no ZeroMQ handshake with %s after %v", c.host, c.timeout)
	}
	if err != nil {
		socket.Close()
		return nil, err
	}
	return socket, nil
}

// clientTransport is TCP with connections that end when their socket is closed. The library closes
// a connection with its socket only after the handshake, and keeps it open if the handshake fails.
type clientTransport struct {
	transport.Transport
}

// clientScheme is the beginning of an endpoint that the library connects to over clientTransport.
const clientScheme = clientNetwork + "://"

const clientNetwork = "tcp-client"

func init() {
	err := zmq4.RegisterTransport(clientNetwork, clientTransport{transport.New("tcp")})
	if err != nil {
		panic(err)
	}
}

// Dial connects for a socket, whose context ends when the socket is closed.
func (t clientTransport) Dial(ctx context.Context, dialer transport.Dialer, address string) (net.Conn, error) {
	connection, err := t.Transport.Dial(ctx, dialer, address)
	if err == nil {
		context.AfterFunc(ctx, func() { connection.Close() })
	}
	return connection, err
}

func (c *zeromqClient) close() {
	if c.socket != nil {
		c.socket.Close()
		c.socket = nil
	}
}
