// Subjects, and the payloads that are loaded for them.

package main

import (
	"fmt"
	"runtime/debug"
)

// subject is a combination of library, format and kind of value.
type subject struct {
	Library string `json:"library"`
	Version string `json:"version"`
	Format  string `json:"format"`
	Target  string `json:"target"`
	Buffer  string `json:"buffer"`

	prepare func(*schema) (coder, error)
}

// coder has the operations of a subject. decode and encode are timed.
type coder struct {
	decode func([]byte) (any, error)
	encode func(any) ([]byte, error)
	// plain converts the result of decode to a value that digest accepts; nil if no conversion is
	// needed.
	plain func(any) (any, error)
}

// simple returns a subject that needs no schema.
func simple(module, library, format, target string, of coder) subject {
	return subject{
		Library: library, Version: version(module), Format: format, Target: target, Buffer: "fresh",
		prepare: func(*schema) (coder, error) { return of, nil },
	}
}

// version returns the version of a linked module, or that of Go for the standard library.
func version(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	if module == "" {
		return info.GoVersion
	}
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return ""
}

// payloads has the loaded payloads of a subject.
type payloads struct {
	coder  coder
	bytes  [][]byte
	values []any
}

func load(of subject, schema *schema, bytes [][]byte) (*payloads, error) {
	coder, err := of.prepare(schema)
	if err != nil {
		return nil, err
	}
	loaded := &payloads{coder: coder, bytes: bytes}
	for _, each := range bytes {
		value, err := coder.decode(each)
		if err != nil {
			return nil, err
		}
		loaded.values = append(loaded.values, value)
	}
	return loaded, nil
}

// check returns an error if run cannot repeat an operation on these payloads so many times.
func (p *payloads) check(window []int, repeats int) error {
	for _, index := range window {
		if index < 0 || index >= len(p.bytes) {
			return fmt.Errorf("no payload %d; there are %d", index, len(p.bytes))
		}
	}
	if repeats < 0 {
		return fmt.Errorf("repeats is %d, expected a whole number", repeats)
	}
	return nil
}

// operation returns the function that run repeats. With a coding, it includes compression or
// decompression.
func (p *payloads) operation(name, coding string) (operation, error) {
	if coding != "" && coding != "gzip" {
		return nil, fmt.Errorf("unknown coding %s", coding)
	}
	switch {
	case name == "encode" && coding == "":
		return func(index int) (err error) {
			sink, err = p.coder.encode(p.values[index])
			return err
		}, nil
	case name == "encode":
		return func(index int) (err error) {
			sink, err = p.represent(index, coding)
			return err
		}, nil
	case name == "decode" && coding == "":
		return func(index int) (err error) {
			sink, err = p.coder.decode(p.bytes[index])
			return err
		}, nil
	case name == "decode":
		packed := make([][]byte, 0, len(p.bytes))
		for _, each := range p.bytes {
			compressed, err := deflate(each)
			if err != nil {
				return nil, err
			}
			packed = append(packed, compressed)
		}
		return func(index int) error {
			bytes, err := inflate(packed[index])
			if err == nil {
				sink, err = p.coder.decode(bytes)
			}
			return err
		}, nil
	}
	return nil, fmt.Errorf("unknown operation %s", name)
}

// represent returns the representation of a payload in an HTTP response.
func (p *payloads) represent(index int, coding string) ([]byte, error) {
	bytes, err := p.coder.encode(p.values[index])
	if err != nil || coding == "" {
		return bytes, err
	}
	return deflate(bytes)
}
