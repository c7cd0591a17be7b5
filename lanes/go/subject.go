package main

import (
	"fmt"
	"runtime/debug"
)

// subject is a library, a format and what values are in the program.
type subject struct {
	Library string `json:"library"`
	Version string `json:"version"`
	Format  string `json:"format"`
	Target  string `json:"target"`
	Buffer  string `json:"buffer"`

	prepare func(*schema) (coder, error)
}

// coder is a subject made ready: what is inside decode and encode is what is timed.
type coder struct {
	decode func([]byte) (any, error)
	encode func(any) ([]byte, error)
	// plain turns what decode returned into what digest reads; nil where it is that already.
	plain func(any) (any, error)
}

// simple is a subject that needs no schema.
func simple(module, library, format, target string, coder coder) subject {
	return subject{
		Library: library, Version: version(module), Format: format, Target: target, Buffer: "fresh",
		prepare: func(*schema) (coderOf, error) { return coder, nil },
	}
}

type coderOf = coder

// version is that of a module as it was linked, or of Go itself for its standard library.
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

// payloads are what a subject was given.
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

// operation is what run repeats: with a coding, to and from compressed bytes.
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

// represent is what a request for a payload is answered with.
func (p *payloads) represent(index int, coding string) ([]byte, error) {
	bytes, err := p.coder.encode(p.values[index])
	if err != nil || coding == "" {
		return bytes, err
	}
	return deflate(bytes)
}
