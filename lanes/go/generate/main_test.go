package main

import "testing"

// Go refuses a variable that is not used, and msgp does not use the value of an entry without fields.
func TestValuesOfLoopsAreUsed(t *testing.T) {
	given := "\tfor za0001, za0002 := range z.Empty {\n\t\to = msgp.AppendString(o, za0001)\n\t}\n\tfor za0003 := range z.List {\n"
	expected := "\tfor za0001, za0002 := range z.Empty {\n\t\t_ = za0002\n\t\to = msgp.AppendString(o, za0001)\n\t}\n\tfor za0003 := range z.List {\n"
	if found := string(useRangeValues([]byte(given))); found != expected {
		t.Errorf("found\n%s\nexpected\n%s", found, expected)
	}
}
