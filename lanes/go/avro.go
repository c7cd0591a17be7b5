// Avro by hamba/avro.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/hamba/avro/v2"
)

// Blocks of arrays and maps are written without their size in bytes, because some readers do not
// support it.
var avroAPI = avro.Config{DisableBlockSizeHeader: true}.Freeze()

func avroSubjects() []subject {
	return []subject{{
		Library: "hamba/avro", Version: version("github.com/hamba/avro/v2"),
		Format: "avro", Target: "dynamic", Buffer: "fresh",
		prepare: func(schema *schema) (coder, error) {
			parsed, err := avroSchema(schema)
			if err != nil {
				return coder{}, err
			}
			return coder{
				decode: func(bytes []byte) (any, error) {
					var value any
					err := avroAPI.Unmarshal(parsed, bytes, &value)
					return value, err
				},
				encode: func(value any) ([]byte, error) { return avroAPI.Marshal(parsed, value) },
				plain:  func(value any) (any, error) { return avroPlain(value, parsed) },
			}, nil
		},
	}}
}

func avroSchema(schema *schema) (avro.Schema, error) {
	if schema.Avro == nil {
		return nil, errors.New("no schema was given")
	}
	return parseAvro([]byte(*schema.Avro))
}

func parseAvro(text []byte) (avro.Schema, error) {
	// A separate cache, because schemas of different payloads share names.
	return avro.ParseBytesWithCache(text, "", &avro.SchemaCache{})
}

// avroSchemaOfKeys returns the schema with its fields renamed to the keys of the value, for types
// whose tags have these keys. The encoding does not change, because it contains no names.
func avroSchemaOfKeys(schema *schema) (avro.Schema, error) {
	if schema.Avro == nil {
		return nil, errors.New("no schema was given")
	}
	var tree any
	if err := json.Unmarshal([]byte(*schema.Avro), &tree); err != nil {
		return nil, err
	}
	useKeys(tree)
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	return parseAvro(text)
}

// useKeys replaces the name of each field by its attribute manywire.name, if the field has one.
func useKeys(tree any) {
	switch node := tree.(type) {
	case []any:
		for _, item := range node {
			useKeys(item)
		}
	case map[string]any:
		fields, _ := node["fields"].([]any)
		for _, field := range fields {
			if field, ok := field.(map[string]any); ok {
				if key, ok := field["manywire.name"].(string); ok {
					field["name"] = key
				}
			}
		}
		for _, item := range node {
			useKeys(item)
		}
	}
}

// avroPlain converts the result of hamba/avro to the value that it represents. The schema has the names
// and forms that Avro cannot express.
func avroPlain(value any, schema avro.Schema) (any, error) {
	if reference, ok := schema.(*avro.RefSchema); ok {
		schema = reference.Schema()
	}
	switch of := schema.(type) {
	case *avro.RecordSchema:
		record, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("a record read as %T", value)
		}
		return avroRecord(record, of)
	case *avro.ArraySchema:
		items, ok := value.([]any)
		if !ok {
			return nil, fmt.Errorf("an array read as %T", value)
		}
		result := make([]any, len(items))
		for i, item := range items {
			var err error
			if result[i], err = avroPlain(item, of.Items()); err != nil {
				return nil, err
			}
		}
		return result, nil
	case *avro.MapSchema:
		entries, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("a map read as %T", value)
		}
		result := make(map[string]any, len(entries))
		for key, entry := range entries {
			var err error
			if result[key], err = avroPlain(entry, of.Values()); err != nil {
				return nil, err
			}
		}
		return result, nil
	case *avro.UnionSchema:
		return avroUnion(value, of)
	case *avro.EnumSchema:
		if symbols, ok := of.Prop("manywire.symbols").([]any); ok {
			for i, symbol := range of.Symbols() {
				if symbol == value {
					return symbols[i], nil
				}
			}
		}
	}
	return value, nil
}

func avroUnion(value any, of *avro.UnionSchema) (any, error) {
	if value == nil {
		return nil, nil
	}
	if wrapped, ok := value.(map[string]any); ok && len(wrapped) == 1 {
		for _, branch := range of.Types() {
			if inner, ok := wrapped[branchName(branch)]; ok {
				return avroPlain(inner, branch)
			}
		}
	}
	for _, branch := range of.Types() {
		if branch.Type() == avro.Null {
			continue
		}
		if plain, err := avroPlain(value, branch); err == nil {
			return plain, nil
		}
	}
	return value, nil
}

func branchName(branch avro.Schema) string {
	if reference, ok := branch.(*avro.RefSchema); ok {
		branch = reference.Schema()
	}
	if named, ok := branch.(avro.NamedSchema); ok {
		return named.FullName()
	}
	return string(branch.Type())
}

func avroRecord(record map[string]any, of *avro.RecordSchema) (any, error) {
	if of.Name() == "Timestamp" {
		seconds, _ := record["seconds"].(int64)
		nanos, _ := record["nanoseconds"].(int)
		return time.Unix(seconds, int64(nanos)), nil
	}
	role, _ := of.Prop("manywire.role").(string)
	items := make([]any, 0, len(of.Fields()))
	entries := make(map[string]any, len(of.Fields()))
	for _, field := range of.Fields() {
		value, err := avroPlain(record[field.Name()], field.Type())
		if err != nil {
			return nil, err
		}
		items = append(items, value)
		if rest, ok := value.(map[string]any); ok && field.Prop("manywire.rest") == true {
			for key, each := range rest {
				entries[key] = each
			}
			continue
		}
		name, ok := field.Prop("manywire.name").(string)
		if !ok {
			name = field.Name()
		}
		entries[name] = value
	}
	switch role {
	case "tuple":
		return items, nil
	case "any", "wrapper", "transparent":
		return items[0], nil
	case "number":
		number, ok := new(big.Rat).SetString(fmt.Sprint(items[0]))
		if !ok {
			return nil, fmt.Errorf("%q is not a number", items[0])
		}
		return number, nil
	}
	return entries, nil
}
