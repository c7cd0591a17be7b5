package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

const document = `{"name":"a","numbers":[1,2,3]}`

// serving returns a lane that serves the document over ZeroMQ, and the URL of its endpoint.
func serving(t *testing.T) (*lane, string) {
	t.Helper()
	lane := &lane{subjects: jsonSubjects(), loaded: make(map[int]*payloads), zeromq: true}
	loaded, err := load(lane.subjects[0], &lane.schema, [][]byte{[]byte(document)})
	if err != nil {
		t.Fatal(err)
	}
	lane.loaded[0] = loaded
	answer, err := lane.serve(serveArguments{[]offer{{0, "application/json"}}})
	if err != nil {
		t.Fatal(err)
	}
	return lane, fmt.Sprintf("tcp://127.0.0.1:%d/endpoint/0/", answer.(map[string]any)["port"])
}

func arguments(url, mediaType, coding string) fetchArguments {
	nonce := "5f3a9c01"
	return fetchArguments{
		URL: url, Nonce: &nonce, Headers: [][2]string{{"Accept", mediaType}, {"Accept-Encoding", coding}},
		Decode: true, Connections: 2, Requests: 20, DurationMS: 1000, TimeoutMS: 500,
	}
}

func TestZeromqRequestsAreAnswered(t *testing.T) {
	lane, url := serving(t)
	for _, coding := range []string{"identity", "gzip"} {
		for _, meter := range []string{"endpoint", "transport"} {
			url := strings.Replace(url, "endpoint", meter, 1)
			answer, frames, err := fetch(lane.loaded[0].coder, arguments(url, "application/json", coding))
			if err != nil {
				t.Fatal(err)
			}
			result := answer.(map[string]any)
			if result["requests"] != 20 || result["errors"] != 0 || len(frames[0]) != 20*8 {
				t.Errorf("%s, %s: %v", meter, coding, result)
			}
			if size := 20 * int64(nonceDigits+len(document)); coding == "identity" && result["body_bytes"] != size {
				t.Errorf("%d bytes, expected %d", result["body_bytes"], size)
			}
		}
	}
	// Each of the four series has two uncounted requests.
	served, err := lane.service.served()
	if requests := served.(map[string]any)["requests"]; err != nil || requests != int64(4*22) {
		t.Errorf("served %v, %v", requests, err)
	}
}

func TestInvalidZeromqRequestsAreErrors(t *testing.T) {
	lane, url := serving(t)
	coder := lane.loaded[0].coder
	for _, test := range []struct{ url, mediaType, coding, message string }{
		{url, "application/cbor", "identity", "expected the media type application/json"},
		{url, "application/json", "br", "unknown content coding"},
		{strings.Replace(url, "/0/", "/1/", 1), "application/json", "identity", "unknown target"},
		{strings.Replace(url, "endpoint", "other", 1), "application/json", "identity", "unknown target"},
		{"tcp://127.0.0.1", "application/json", "identity", "invalid URL"},
	} {
		_, _, err := fetch(coder, arguments(test.url, test.mediaType, test.coding))
		if err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%+v: %v", test, err)
		}
	}
	// The server continues after each of them, and after messages of other shapes.
	address := strings.SplitAfter(url, "/")
	socket := zmq4.NewReq(context.Background())
	defer socket.Close()
	if err := socket.Dial(strings.TrimSuffix(strings.Join(address[:3], ""), "/")); err != nil {
		t.Fatal(err)
	}
	if err := socket.Send(zmq4.NewMsg([]byte("x"))); err != nil {
		t.Fatal(err)
	}
	response, err := socket.Recv()
	if err != nil || string(response.Frames[0]) != failureType {
		t.Errorf("%v, %v", response, err)
	}
	if _, _, err := fetch(coder, arguments(url, "application/json", "identity")); err != nil {
		t.Error(err)
	}
}

func TestAnOfferWithoutPayloadsHasNoTargets(t *testing.T) {
	lane, _ := serving(t)
	bare := &service{offers: []preparedOffer{{"application/json", &payloads{coder: lane.loaded[0].coder}, nil}}}
	request := [][]byte{[]byte("application/json"), []byte("identity"), []byte("/endpoint/0/5f3a9c0100000000")}
	if response, err := bare.respond(request); err == nil || !strings.Contains(err.Error(), "unknown target") {
		t.Errorf("%q, %v", response, err)
	}
}

// A REQ socket waits forever for a peer that is gone, unless the client gives it up.
func TestDeadZeromqPeersAreErrors(t *testing.T) {
	lane, _ := serving(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	silent := zmq4.NewRep(context.Background())
	defer silent.Close()
	if err := silent.Listen("tcp://127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		port    int
		message string
	}{
		{port, "no ZeroMQ handshake"},
		{silent.Addr().(*net.TCPAddr).Port, "no response after"},
	} {
		start := time.Now()
		url := fmt.Sprintf("tcp://127.0.0.1:%d/endpoint/0/", test.port)
		_, _, err := fetch(lane.loaded[0].coder, arguments(url, "application/json", "identity"))
		if err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("expected %q: %v", test.message, err)
		}
		if waited := time.Since(start); waited > 5*time.Second {
			t.Errorf("%v until %v", waited, err)
		}
	}
	listener.Close()
	url := fmt.Sprintf("tcp://127.0.0.1:%d/endpoint/0/", port)
	_, _, err = fetch(lane.loaded[0].coder, arguments(url, "application/json", "identity"))
	expected := fmt.Sprintf("could not dial to \"tcp://127.0.0.1:%d\"", port)
	if err == nil || !strings.Contains(err.Error(), expected) {
		t.Errorf("no peer: %v", err)
	}
}

// No connection stays open whose handshake fails, or is given up.
func TestFailedZeromqHandshakesEndTheirConnections(t *testing.T) {
	lane, _ := serving(t)
	// A greeting has 64 bytes. Without any, the peer is silent.
	for _, greeting := range []string{"", strings.Repeat("x", 64)} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := fmt.Sprintf("tcp://%v/endpoint/0/", listener.Addr())
		arguments := arguments(url, "application/json", "identity")
		ended := make(chan error, arguments.Connections)
		for range arguments.Connections {
			go func() {
				connection, err := listener.Accept()
				if err != nil {
					ended <- err
					return
				}
				defer connection.Close()
				connection.SetDeadline(time.Now().Add(5 * time.Second))
				io.WriteString(connection, greeting)
				_, err = io.Copy(io.Discard, connection)
				ended <- err
			}()
		}
		if _, _, err := fetch(lane.loaded[0].coder, arguments); err == nil {
			t.Errorf("greeting %q: no error", greeting)
		}
		for range arguments.Connections {
			if err := <-ended; err != nil {
				t.Errorf("greeting %q: a connection did not end: %v", greeting, err)
			}
		}
		listener.Close()
	}
}

// The peer dies between two requests: the series ends, with errors.
func TestZeromqPeerMayDieDuringASeries(t *testing.T) {
	lane, _ := serving(t)
	ctx, cancel := context.WithCancel(context.Background())
	socket := zmq4.NewRep(ctx)
	if err := socket.Listen("tcp://127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go func() {
		for range 10 {
			request, err := socket.Recv()
			if err != nil {
				return
			}
			response, _ := lane.service.respond(request.Frames)
			socket.SendMulti(zmq4.NewMsgFrom(response...))
		}
		time.Sleep(50 * time.Millisecond)
		socket.Close()
		cancel()
	}()
	start := time.Now()
	url := fmt.Sprintf("tcp://127.0.0.1:%d/endpoint/0/", socket.Addr().(*net.TCPAddr).Port)
	answer, _, err := fetch(lane.loaded[0].coder, arguments(url, "application/json", "identity"))
	if err != nil {
		t.Fatal(err)
	}
	if errors := answer.(map[string]any)["errors"].(int); errors == 0 {
		t.Errorf("no errors: %v", answer)
	}
	if waited := time.Since(start); waited > 5*time.Second {
		t.Errorf("the series took %v", waited)
	}
}
