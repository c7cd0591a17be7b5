package main

import (
	"encoding/json"

	gojson "github.com/goccy/go-json"
)

func jsonSubjects() []subject {
	return []subject{
		simple("", "encoding/json", "json", "dynamic", coder{
			decode: func(bytes []byte) (any, error) {
				var value any
				err := json.Unmarshal(bytes, &value)
				return value, err
			},
			encode: json.Marshal,
		}),
		simple("github.com/goccy/go-json", "goccy/go-json", "json", "dynamic", coder{
			decode: func(bytes []byte) (any, error) {
				var value any
				err := gojson.Unmarshal(bytes, &value)
				return value, err
			},
			encode: func(value any) ([]byte, error) { return gojson.Marshal(value) },
		}),
	}
}
