//go:build typed

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

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
			if of.Format == "msgpack-array" {
				if err := checkArrays(schema); err != nil {
					return coder{}, err
				}
			}
			return typedCoder(of.Library, of.Format, schema)
		}
	}
	return subjects
}

// avroByKeys reads and writes types by the keys in their tags. It does not validate names, because
// a key need not be a valid name in Avro.
var avroByKeys = func() avro.API {
	avro.SkipNameValidation = true
	return avro.Config{DisableBlockSizeHeader: true, TagKey: "key"}.Freeze()
}()

// noTag has a function for each library whose tags cannot contain every key. The function returns
// true for a key that no tag can contain.
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
	// Messages are sorted, so that the error names the same key each time.
	for _, name := range slices.Sorted(maps.Keys(schema.Model.Messages)) {
		message := schema.Model.Messages[name]
		if message.Form != "record" {
			continue
		}
		for _, field := range message.Fields {
			if cannot(field.Name) {
				return fmt.Errorf("no struct tag of the library can have the key %q", field.Name)
			}
		}
	}
	return nil
}

// checkArrays fails if a union of the payloads contains a record: a value of type any receives the
// record's array of fields as a list, without the names.
func checkArrays(schema *schema) error {
	if schema.Model == nil {
		return nil
	}
	for _, message := range schema.Model.Messages {
		if message.Form == "union" && schema.Model.hasRecord(message, make(map[string]bool)) {
			return errors.New("a union has a record, and in an array nothing says which fields it has")
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
		mode, err := cborMode()
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
		of := into[typed.LaneRoot](
			func(bytes []byte, value any) error { return avroByKeys.Unmarshal(parsed, bytes, value) },
			func(value any) ([]byte, error) { return avroByKeys.Marshal(parsed, value) },
		)
		if reflect.TypeFor[typed.LaneRoot]().Kind() != reflect.Struct {
			// The library writes pointers to structs only.
			of.encode = func(value any) ([]byte, error) {
				return avroByKeys.Marshal(parsed, *value.(*typed.LaneRoot))
			}
		}
		// A union is read into a value of type any, in which the library names the branch.
		if schema.hasUnions() {
			of.plain = func(value any) (any, error) { return avroPlain(tree(reflect.ValueOf(value), false), parsed) }
		}
		return of, err
	case "mongo-driver/bson bson":
		if reflect.TypeFor[typed.LaneRoot]().Kind() == reflect.Slice {
			return coder{}, errors.New("the library reads documents only, and the payload is not one")
		}
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
		// msgp reads an empty array within an array as a nil slice, and writes that as an empty array.
		plain: func(value any) (any, error) { return tree(reflect.ValueOf(value), true), nil },
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

// tree converts a typed value to maps by key and slices. With emptyItems, a nil slice becomes an
// empty array, except in a field of a struct. Otherwise a nil slice becomes null.
func tree(value reflect.Value, emptyItems bool) any {
	item := func(value reflect.Value) any {
		if emptyItems && value.Kind() == reflect.Slice && value.IsNil() {
			return []any{}
		}
		return tree(value, emptyItems)
	}
	switch value.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Pointer, reflect.Interface:
		if _, isNumber := value.Interface().(*big.Rat); isNumber {
			return value.Interface()
		}
		return item(value.Elem())
	case reflect.Slice:
		if value.IsNil() {
			return nil
		}
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return value.Bytes()
		}
		items := make([]any, value.Len())
		for i := range items {
			items[i] = item(value.Index(i))
		}
		return items
	case reflect.Map:
		if value.IsNil() {
			return nil
		}
		entries := make(map[string]any, value.Len())
		for iter := value.MapRange(); iter.Next(); {
			entries[iter.Key().String()] = item(iter.Value())
		}
		return entries
	case reflect.Struct:
		if _, isTime := value.Interface().(time.Time); isTime {
			return value.Interface()
		}
		entries := make(map[string]any, value.NumField())
		for i := range value.NumField() {
			if key, found := value.Type().Field(i).Tag.Lookup("key"); found {
				entries[key] = tree(value.Field(i), emptyItems)
			}
		}
		return entries
	}
	return value.Interface()
}
