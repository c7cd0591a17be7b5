package main

import (
	"encoding/json"
	"testing"
)

func TestMemoryIsAMeanOverPayloads(t *testing.T) {
	found, err := memory(func(index int) error {
		sink = make([]byte, 1000*(index+1))
		return nil
	}, 2)
	if err != nil || found.Allocs == nil || *found.Allocs < 1 || *found.AllocBytes < 1500 {
		t.Errorf("found %v, %v", found, err)
	}
}

// A mean over nothing would be not a number, which JSON cannot express.
func TestMemoryOfNoPayloadsIsUnknown(t *testing.T) {
	found, err := memory(func(int) error { return nil }, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(found)
	if expected := `{"allocs":null,"alloc_bytes":null,"peak_bytes":null}`; err != nil || string(text) != expected {
		t.Errorf("found %s, %v", text, err)
	}
}
