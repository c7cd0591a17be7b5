package main

import (
	"os"
	"strings"
	"testing"
)

// TestMain makes the test binary the lane if it is started without arguments.
func TestMain(m *testing.M) {
	if len(os.Args) == 1 {
		main()
		return
	}
	os.Exit(m.Run())
}

// BenchmarkAgree times the functions of the lane with Go's own harness. All functions are loaded
// before any is timed, as in the lane, because the addresses of values affect the time to encode
// them.
//
// The benchmark uses `b.N`, because `for b.Loop()` reports 5 % more for encoding with goccy/go-json.
// Two readings of the clock around a plain loop agree with `b.N`, and so does `b.Loop()` with a
// hundred calls in its body.
func BenchmarkAgree(b *testing.B) {
	payload, err := os.ReadFile(os.Getenv("MANYWIRE_PAYLOAD"))
	if err != nil {
		b.Fatal(err)
	}
	type timed struct {
		name string
		do   operation
	}
	var all []timed
	for _, library := range strings.Split(os.Getenv("MANYWIRE_LIBRARIES"), ",") {
		for _, subject := range jsonSubjects() {
			if subject.Library != library || subject.Target != "dynamic" {
				continue
			}
			loaded, err := load(subject, &schema{}, [][]byte{payload})
			if err != nil {
				b.Fatal(err)
			}
			for _, name := range []string{"encode", "decode"} {
				do, err := loaded.operation(name, "")
				if err != nil {
					b.Fatal(err)
				}
				all = append(all, timed{strings.ReplaceAll(library, "/", ".") + ":" + name, do})
			}
		}
	}
	for _, each := range all {
		b.Run(each.name, func(b *testing.B) {
			for range b.N {
				if err := each.do(0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
