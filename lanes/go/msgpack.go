package main

import (
	"bytes"

	"github.com/tinylib/msgp/msgp"
	"github.com/vmihailenco/msgpack/v5"
)

func msgpackSubjects() []subject {
	return []subject{
		simple("github.com/vmihailenco/msgpack/v5", "vmihailenco/msgpack", "msgpack", "dynamic", coder{
			decode: func(bytes []byte) (any, error) {
				var value any
				err := msgpack.Unmarshal(bytes, &value)
				return value, err
			},
			encode: vmihailencoEncode,
		}),
		simple("github.com/tinylib/msgp", "tinylib/msgp", "msgpack", "dynamic", coder{
			decode: func(bytes []byte) (any, error) {
				value, _, err := msgp.ReadIntfBytes(bytes)
				return value, err
			},
			encode: func(value any) ([]byte, error) { return msgp.AppendIntf(nil, value) },
		}),
	}
}

// vmihailencoEncode writes integers in their shortest form, as every other library does; by default
// each int64 takes nine bytes.
func vmihailencoEncode(value any) ([]byte, error) {
	encoder := msgpack.GetEncoder()
	defer msgpack.PutEncoder(encoder)
	var buffer bytes.Buffer
	encoder.Reset(&buffer)
	encoder.UseCompactInts(true)
	err := encoder.Encode(value)
	return buffer.Bytes(), err
}
