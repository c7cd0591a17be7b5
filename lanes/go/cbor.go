package main

import (
	"reflect"

	"github.com/fxamacker/cbor/v2"
)

func cborSubjects() []subject {
	return []subject{{
		Library: "fxamacker/cbor", Version: version("github.com/fxamacker/cbor/v2"),
		Format: "cbor", Target: "dynamic", Buffer: "fresh",
		prepare: func(*schema) (coder, error) {
			mode, err := cborMode()
			if err != nil {
				return coder{}, err
			}
			return coder{
				decode: func(bytes []byte) (any, error) {
					var value any
					err := mode.Unmarshal(bytes, &value)
					return value, err
				},
				encode: cbor.Marshal,
			}, nil
		},
	}}
}

// cborMode returns the options for decoding. In a value of type any, maps are map[string]any, as in
// JSON; the default is map[any]any. The depth limit is the same as in the orchestrator.
func cborMode() (cbor.DecMode, error) {
	options := cbor.DecOptions{DefaultMapType: reflect.TypeFor[map[string]any](), MaxNestedLevels: 512}
	return options.DecMode()
}
