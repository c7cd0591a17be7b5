// Conversion of Protocol Buffers messages to values.

package main

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// schema is the schema of the payloads, as the request schema sends it.
type schema struct {
	Proto       *string `json:"proto"`
	Avro        *string `json:"avro"`
	Model       *model  `json:"model"`
	Descriptors []byte  `json:"-"`
}

// model maps messages to values, as CONTRACT.md describes. Timed operations do not use the model,
// because programs use messages directly.
type model struct {
	Package  string                       `json:"package"`
	Root     string                       `json:"root"`
	Messages map[string]messageForm       `json:"messages"`
	Enums    map[string]map[string]string `json:"enums"`
}

type messageForm struct {
	Form   string      `json:"form"`
	Rest   string      `json:"rest"`
	Fields []fieldForm `json:"fields"`
}

type fieldForm struct {
	Proto  string `json:"proto"`
	Name   string `json:"name"`
	Number int32  `json:"number"`
	Kind   string `json:"kind"`
	Of     string `json:"of"`
	Label  string `json:"label"`
	Absent string `json:"absent"`
}

// hasUnions returns whether the payloads contain a union: values of several kinds, or of any kind.
// It returns true if the schema has no model.
func (s *schema) hasUnions() bool {
	if s.Model == nil {
		return true
	}
	for _, message := range s.Model.Messages {
		if message.Form == "union" {
			return true
		}
	}
	return false
}

// hasRecord returns whether a message contains a record or a sum type at any depth. seen has the
// names of messages that have been visited.
func (m *model) hasRecord(message messageForm, seen map[string]bool) bool {
	for _, field := range message.Fields {
		if field.Kind != "message" || seen[field.Of] {
			continue
		}
		seen[field.Of] = true
		inner := m.Messages[field.Of]
		if inner.Form == "record" || inner.Form == "variants" || m.hasRecord(inner, seen) {
			return true
		}
	}
	return false
}

func (m *model) root(message protoreflect.Message) (any, error) {
	return m.message(message, m.Messages[m.Root])
}

func (m *model) message(message protoreflect.Message, form messageForm) (any, error) {
	set := func() (fieldForm, bool) {
		for _, field := range form.Fields {
			if message.Has(descriptor(message, field)) {
				return field, true
			}
		}
		return fieldForm{}, false
	}
	switch form.Form {
	case "record":
		return m.record(message, form)
	case "wrapper":
		return m.field(message, form.Fields[0])
	case "tuple":
		items := make([]any, 0, len(form.Fields))
		for _, field := range form.Fields {
			item, err := m.field(message, field)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	case "union":
		if field, ok := set(); ok {
			return m.field(message, field)
		}
		return nil, nil
	case "variants":
		field, ok := set()
		if !ok {
			return nil, nil
		}
		value, err := m.field(message, field)
		return map[string]any{field.Name: value}, err
	case "null":
		return nil, nil
	case "timestamp":
		seconds := message.Get(descriptor(message, form.Fields[0])).Int()
		nanos := message.Get(descriptor(message, form.Fields[1])).Int()
		return time.Unix(seconds, nanos), nil
	}
	return nil, fmt.Errorf("a message of the form %s cannot be a whole value", form.Form)
}

func (m *model) record(message protoreflect.Message, form messageForm) (any, error) {
	entries := make(map[string]any, len(form.Fields))
	for _, field := range form.Fields {
		value, err := m.field(message, field)
		if err != nil {
			return nil, err
		}
		if field.Proto != form.Rest {
			entries[field.Name] = value
			continue
		}
		for key, each := range value.(map[string]any) {
			entries[key] = each
		}
	}
	return entries, nil
}

func descriptor(message protoreflect.Message, field fieldForm) protoreflect.FieldDescriptor {
	return message.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(field.Number))
}

func (m *model) field(message protoreflect.Message, field fieldForm) (any, error) {
	of := descriptor(message, field)
	value := message.Get(of)
	switch {
	case of.IsMap():
		return m.entries(value.Map(), m.Messages[field.Of].Fields[1])
	case of.IsList() && m.Messages[field.Of].Form == "entry":
		entries := make(map[string]any)
		for i := range value.List().Len() {
			entry := value.List().Get(i).Message()
			fields := m.Messages[field.Of].Fields
			key, err := m.field(entry, fields[0])
			if err != nil {
				return nil, err
			}
			if entries[fmt.Sprint(key)], err = m.field(entry, fields[1]); err != nil {
				return nil, err
			}
		}
		return entries, nil
	case of.IsList() && value.List().Len() == 0 && field.Absent != "zero":
		// An array without items is an empty array if absence means zero, otherwise null.
		return nil, nil
	case of.IsList():
		items := make([]any, 0, value.List().Len())
		for i := range value.List().Len() {
			item, err := m.item(value.List().Get(i), field)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	case message.Has(of):
		return m.item(value, field)
	case field.Absent == "zero" && field.Kind != "message" && field.Kind != "enum":
		return m.item(of.Default(), field)
	}
	return nil, nil
}

func (m *model) entries(entries protoreflect.Map, of fieldForm) (any, error) {
	result := make(map[string]any, entries.Len())
	var failed error
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		result[key.String()], failed = m.item(value, of)
		return failed == nil
	})
	return result, failed
}

func (m *model) item(value protoreflect.Value, field fieldForm) (any, error) {
	switch field.Kind {
	case "message":
		return m.message(value.Message(), m.Messages[field.Of])
	case "enum":
		number := strconv.Itoa(int(value.Enum()))
		if name, ok := m.Enums[field.Of][number]; ok {
			return name, nil
		}
		return int64(value.Enum()), nil
	case "bigint", "number":
		number, ok := new(big.Rat).SetString(value.String())
		if !ok {
			return nil, fmt.Errorf("%q is not a number", value.String())
		}
		return number, nil
	}
	return value.Interface(), nil
}
