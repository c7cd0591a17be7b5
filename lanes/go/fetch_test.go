package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestACodingThatWasNotRequestedIsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Encoding", "gzip")
		io.WriteString(out, "abc")
	}))
	defer server.Close()
	for _, test := range []struct{ coding, message string }{
		{"gzip", ""},
		{"identity", "unexpected content coding \"gzip\""},
	} {
		arguments := arguments(server.URL, "application/json", test.coding)
		arguments.Nonce, arguments.Decode = nil, false
		_, _, err := fetch(coder{}, arguments)
		if (err == nil) != (test.message == "") || err != nil && !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: %v", test.coding, err)
		}
	}
}
