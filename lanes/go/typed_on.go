//go:build typed

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fxamacker/cbor/v2"
	gojson "github.com/goccy/go-json"
	"github.com/hamba/avro/v2"
	"github.com/tinylib/msgp/msgp"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"google.golang.org/protobuf/proto"

	"manywire.dev/lanes/go/messages"
	"manywire.dev/lanes/go/tuples"
	"manywire.dev/lanes/go/typed"
)

// typedSubjects returns the subjects that use types generated from the payloads.
func typedSubjects() []subject {
	subjects := typedList()
	for i := range subjects {
		of := &subjects[i]
		of.prepare = func(schema *schema) (coder, error) {
			if err := checkKeys(of.Library, schema); err != nil {
				return coder{}, err
			}
			return typedCoder(of.Library, of.Format, schema)
		}
	}
	return subjects
}

// avroByKeys reads and writes types whose tags have keys, which need not be names of Avro.
var avroByKeys = func() avro.API {
	avro.SkipNameValidation = true
	return avro.Config{DisableBlockSizeHeader: true, TagKey: "key"}.Freeze()
}()

// noTag tells for each library which keys its tags cannot have.
var noTag = map[string]func(key string) bool{
	"vmihailenco/msgpack": func(key string) bool {
		return key == "" || key == "-" || strings.TrimSpace(key) != key || strings.Contains(key, `\'`)
	},
	"tinylib/msgp":      func(key string) bool { return key == "" || key == "-" || strings.Contains(key, ",") },
	"fxamacker/cbor":    func(key string) bool { return key == "" || strings.Contains(key, ",") },
	"hamba/avro":        func(key string) bool { return key == "" || strings.Contains(key, ",") },
	"mongo-driver/bson": func(key string) bool { return key == "" || key == "-" || strings.Contains(key, ",") },
}

// checkKeys fails if the tags of a library cannot have a key of the payloads.
func checkKeys(library string, schema *schema) error {
	cannot := noTag[library]
	if cannot == nil || schema.Model == nil {
		return nil
	}
	for _, message := range schema.Model.Messages {
		if message.Form != "record" {
			continue
		}
		for _, field := range message.Fields {
			if cannot(field.Name) {
				return fmt.Errorf("no struct tag of %s can have the key %q", library, field.Name)
			}
		}
	}
	return nil
}

func typedCoder(library, format string, schema *schema) (coder, error) {
	switch library + " " + format {
	case "encoding/json json":
		return into[typed.LaneRoot](json.Unmarshal, json.Marshal), nil
	case "goccy/go-json json":
		return into[typed.LaneRoot](
			func(bytes []byte, value any) error { return gojson.Unmarshal(bytes, value) },
			func(value any) ([]byte, error) { return gojson.Marshal(value) },
		), nil
	case "vmihailenco/msgpack msgpack":
		return into[typed.LaneRoot](msgpack.Unmarshal, vmihailencoEncode), nil
	case "vmihailenco/msgpack msgpack-array":
		return into[typed.LaneRoot](msgpack.Unmarshal, vmihailencoArray), nil
	case "tinylib/msgp msgpack":
		return generated[typed.LaneRoot](), nil
	case "tinylib/msgp msgpack-array":
		return generated[tuples.LaneRoot](), nil
	case "fxamacker/cbor cbor":
		mode, err := cbor.DecOptions{MaxNestedLevels: 512}.DecMode()
		return into[typed.LaneRoot](mode.Unmarshal, cbor.Marshal), err
	case "google.golang.org/protobuf protobuf":
		return withModel(schema, coder{
			decode: func(bytes []byte) (any, error) {
				message := new(messages.LaneRoot)
				err := proto.Unmarshal(bytes, message)
				return message, err
			},
			encode: func(value any) ([]byte, error) { return proto.Marshal(value.(proto.Message)) },
		}), nil
	case "planetscale/vtprotobuf protobuf":
		return withModel(schema, coder{
			decode: func(bytes []byte) (any, error) {
				message := new(messages.LaneRoot)
				err := message.UnmarshalVT(bytes)
				return message, err
			},
			encode: func(value any) ([]byte, error) { return value.(*messages.LaneRoot).MarshalVT() },
		}), nil
	case "hamba/avro avro":
		parsed, err := avroSchemaOfKeys(schema)
		return into[typed.LaneRoot](
			func(bytes []byte, value any) error { return avroByKeys.Unmarshal(parsed, bytes, value) },
			func(value any) ([]byte, error) { return avroByKeys.Marshal(parsed, value) },
		), err
	case "mongo-driver/bson bson":
		return into[typed.LaneRoot](bson.Unmarshal, bson.Marshal), nil
	}
	return coder{}, fmt.Errorf("no types for %s by %s", format, library)
}

// into returns the coder of a library that decodes into a pointer and encodes from one.
func into[T any](unmarshal func([]byte, any) error, marshal func(any) ([]byte, error)) coder {
	return coder{
		decode: func(bytes []byte) (any, error) {
			value := new(T)
			err := unmarshal(bytes, value)
			return value, err
		},
		encode: marshal,
	}
}

// generated returns the coder of msgp, which generates methods for each type.
func generated[T any, P interface {
	*T
	msgp.Unmarshaler
	msgp.MarshalSizer
}]() coder {
	return coder{
		decode: func(bytes []byte) (any, error) {
			value := P(new(T))
			_, err := value.UnmarshalMsg(bytes)
			return value, err
		},
		encode: func(value any) ([]byte, error) {
			return value.(P).MarshalMsg(make([]byte, 0, value.(P).Msgsize()))
		},
	}
}

func withModel(schema *schema, of coder) coder {
	of.plain = func(value any) (any, error) {
		return schema.Model.root(value.(proto.Message).ProtoReflect())
	}
	return of
}

// vmihailencoArray writes structs as arrays of their fields.
func vmihailencoArray(value any) ([]byte, error) {
	encoder := msgpack.GetEncoder()
	defer msgpack.PutEncoder(encoder)
	var buffer bytes.Buffer
	encoder.Reset(&buffer)
	encoder.UseCompactInts(true)
	encoder.UseArrayEncodedStructs(true)
	err := encoder.Encode(value)
	return buffer.Bytes(), err
}
