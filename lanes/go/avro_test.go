package main

import "testing"

// Avro has no number beyond 64 bits, so the schema has a record with the text of it.
func TestNumbersOfAvroAreNumbers(t *testing.T) {
	text := `{"type": "record", "name": "AnyNumber", "manywire.role": "number",
		"fields": [{"name": "text", "type": "string"}]}`
	parsed, err := avroSchema(&schema{Avro: &text})
	if err != nil {
		t.Fatal(err)
	}
	number, err := avroPlain(map[string]any{"text": "18446744073709551616"}, parsed)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := digest(number); err != nil || found != of("d\x43\xf0\x00\x00\x00\x00\x00\x00") {
		t.Errorf("found %s, %v, of %v", found, err, number)
	}
	if _, err := avroPlain(map[string]any{"text": "x"}, parsed); err == nil {
		t.Error("expected an error")
	}
}
