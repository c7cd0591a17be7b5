package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// handle sends frames to a lane with its subjects of JSON, and returns the frames of its responses.
func handle(t *testing.T, frames ...string) ([]string, error) {
	t.Helper()
	var sent, received bytes.Buffer
	out := bufio.NewWriter(&sent)
	for _, frame := range frames {
		if err := writeFrame(out, []byte(frame)); err != nil {
			t.Fatal(err)
		}
	}
	out.Flush()
	lane := &lane{subjects: jsonSubjects(), loaded: make(map[int]*payloads)}
	err := lane.handleRequests(bufio.NewReader(&sent), bufio.NewWriter(&received))
	var answers []string
	for in := bufio.NewReader(&received); ; {
		frame, err := readFrame(in)
		if err != nil {
			break
		}
		answers = append(answers, string(frame))
	}
	return answers, err
}

func TestInvalidRequestsAreErrorsAndTheLaneContinues(t *testing.T) {
	run := `{"verb": "run", "subject": 0, "operation": "decode", "window": [0], "repeats": 1}`
	requests := []struct{ text, words string }{
		{`{"verb": "dance"}`, "no payloads"},
		{`{}`, "no payloads"},
		{`{"verb": 1}`, "cannot unmarshal number"},
		{`{"verb": "digest", "subject": 999}`, "no payloads"},
		{`{"verb": "digest", "subject": true}`, "cannot unmarshal bool"},
		{`{"verb": "load", "subject": 999}`, "no subject 999"},
		{run, "no payloads"},
		{`{"verb": "load", "subject": 0, "payloads": 1}`, `"ok"`},
		{run, `"ok"`},
		{strings.Replace(run, "decode", "sing", 1), "unknown operation sing"},
		{strings.Replace(run, "[0]", "[1]", 1), "no payload 1; there are 1"},
		{strings.Replace(run, "[0]", "[-1]", 1), "no payload -1; there are 1"},
		{strings.Replace(run, "[0]", "0", 1), "cannot unmarshal number"},
		{strings.Replace(run, `"repeats": 1`, `"repeats": -1`, 1), "repeats is -1"},
		{strings.Replace(run, `"repeats": 1`, `"repeats": 1.5`, 1), "cannot unmarshal number"},
		{strings.Replace(run, `"repeats": 1`, `"repeats": 0`, 1), `"ok"`},
	}
	var frames []string
	for _, request := range requests {
		frames = append(frames, request.text)
		if strings.Contains(request.text, "payloads") {
			frames = append(frames, "[1]")
		}
	}
	answers, err := handle(t, frames...)
	if err != nil || len(answers) != len(requests) {
		t.Fatalf("%d answers to %d requests, %v", len(answers), len(requests), err)
	}
	for i, request := range requests {
		if !strings.Contains(answers[i], request.words) {
			t.Errorf("%s: expected %s, found %s", request.text, request.words, answers[i])
		}
	}
}

func TestARequestOfUnknownLengthEndsTheLane(t *testing.T) {
	for _, text := range []string{"", "[1]", "{", `{"verb": "load", "subject": 0, "payloads": -1}`,
		`{"verb": "load", "subject": 0, "payloads": 1.5}`} {
		if answers, err := handle(t, text); err == nil || len(answers) > 0 {
			t.Errorf("%s: %v, %v", text, answers, err)
		}
	}
}
