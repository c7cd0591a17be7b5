package main

import (
	"os"
	"strings"
	"testing"
)

// BenchmarkAgree times the functions of the lane by the harness of Go itself.
func BenchmarkAgree(b *testing.B) {
	payload, err := os.ReadFile(os.Getenv("MANYWIRE_PAYLOAD"))
	if err != nil {
		b.Fatal(err)
	}
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
				b.Run(strings.ReplaceAll(library, "/", ".")+":"+name, func(b *testing.B) {
					for b.Loop() {
						if err := do(0); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
