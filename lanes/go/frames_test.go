package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

func TestFramesAreReadByTheBytesThatArrive(t *testing.T) {
	for _, text := range []string{"", "payload", strings.Repeat("x", 1<<17)} {
		var sent bytes.Buffer
		out := bufio.NewWriter(&sent)
		if err := writeFrame(out, []byte(text)); err != nil {
			t.Fatal(err)
		}
		out.Flush()
		frame, err := readFrame(bufio.NewReader(&sent))
		if err != nil || string(frame) != text {
			t.Errorf("a frame of %d bytes: read %d, %v", len(text), len(frame), err)
		}
	}
	// The length is 4 GB, of which three bytes arrive.
	in := bufio.NewReader(strings.NewReader("\xff\xff\xff\xffabc"))
	if _, err := readFrame(in); err == nil || !strings.Contains(err.Error(), "input ends") {
		t.Errorf("a short frame: %v", err)
	}
}
