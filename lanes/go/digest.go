// The canonical digest of a value.

package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// digest returns the canonical digest of a value, as CONTRACT.md defines it.
func digest(value any) (string, error) {
	form, err := canonical(nil, value)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(form)
	return hex.EncodeToString(sum[:]), nil
}

// canonical appends the canonical form of a value.
func canonical(out []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(out, 'n'), nil
	case bool:
		if v {
			return append(out, 't'), nil
		}
		return append(out, 'f'), nil
	case string:
		return sized(out, 's', v), nil
	case []byte:
		if v == nil {
			return append(out, 'n'), nil
		}
		return sized(out, 'b', string(v)), nil
	case time.Time:
		return instant(out, v), nil
	case bson.DateTime:
		return instant(out, v.Time()), nil
	case bson.Binary:
		return sized(out, 'b', string(v.Data)), nil
	case bson.D:
		entries := make(map[string]any, len(v))
		for _, entry := range v {
			entries[entry.Key] = entry.Value
		}
		return mapping(out, entries)
	case *big.Int:
		return integer(out, v), nil
	case big.Int:
		return integer(out, &v), nil
	case *big.Rat:
		if v.IsInt() {
			return integer(out, v.Num()), nil
		}
		nearest, _ := v.Float64()
		return float(out, nearest), nil
	}
	return reflected(out, reflect.ValueOf(value))
}

// reflected appends the canonical form of user-defined types: structs, slices, maps, pointers and
// named scalars.
func reflected(out []byte, value reflect.Value) ([]byte, error) {
	switch value.Kind() {
	case reflect.Bool:
		return canonical(out, value.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return append(strconv.AppendInt(append(out, 'i'), value.Int(), 10), ';'), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return append(strconv.AppendUint(append(out, 'i'), value.Uint(), 10), ';'), nil
	case reflect.Float32, reflect.Float64:
		return float(out, value.Float()), nil
	case reflect.String:
		return sized(out, 's', value.String()), nil
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return append(out, 'n'), nil
		}
		return canonical(out, value.Elem().Interface())
	case reflect.Slice, reflect.Array:
		// A nil slice means an absent array; an empty array is not nil.
		if value.Kind() == reflect.Slice && value.IsNil() {
			return append(out, 'n'), nil
		}
		if value.Type().Elem().Kind() == reflect.Uint8 && value.Kind() == reflect.Slice {
			return sized(out, 'b', string(value.Bytes())), nil
		}
		out = head(out, 'a', value.Len())
		for i := range value.Len() {
			var err error
			if out, err = canonical(out, value.Index(i).Interface()); err != nil {
				return nil, err
			}
		}
		return out, nil
	case reflect.Map:
		if value.IsNil() {
			return append(out, 'n'), nil
		}
		entries := make(map[string]any, value.Len())
		for iter := value.MapRange(); iter.Next(); {
			name, err := key(iter.Key())
			if err != nil {
				return nil, err
			}
			entries[name] = iter.Value().Interface()
		}
		return mapping(out, entries)
	case reflect.Struct:
		return structure(out, value)
	}
	return nil, fmt.Errorf("a %s has no digest", value.Type())
}

// structure appends the canonical form of a struct. A field's key is in the struct tag "key",
// because the tags of libraries cannot contain every key. Fields without this tag are left out.
func structure(out []byte, value reflect.Value) ([]byte, error) {
	entries := make(map[string]any, value.NumField())
	for i := range value.NumField() {
		field := value.Type().Field(i)
		name, found := field.Tag.Lookup("key")
		if !field.IsExported() || !found {
			continue
		}
		entries[name] = value.Field(i).Interface()
	}
	return mapping(out, entries)
}

func key(value reflect.Value) (string, error) {
	if value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	switch value.Kind() {
	case reflect.String:
		return value.String(), nil
	case reflect.Bool:
		return strconv.FormatBool(value.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(value.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(value.Uint(), 10), nil
	}
	return "", fmt.Errorf("a %s as a key has no digest", value.Kind())
}

func mapping(out []byte, entries map[string]any) ([]byte, error) {
	type entry struct{ name, form string }
	forms := make([]entry, 0, len(entries))
	for name, value := range entries {
		form, err := canonical(nil, value)
		if err != nil {
			return nil, err
		}
		if string(form) != "n" {
			forms = append(forms, entry{string(sized(nil, 's', name)), string(form)})
		}
	}
	sort.Slice(forms, func(i, j int) bool { return forms[i].name < forms[j].name })
	out = head(out, 'm', len(forms))
	for _, each := range forms {
		out = append(append(out, each.name...), each.form...)
	}
	return out, nil
}

func float(out []byte, number float64) []byte {
	if number == math.Trunc(number) && number >= -(1<<63) && number < 1<<64 {
		whole, _ := big.NewFloat(number).Int(nil)
		return append(append(append(out, 'i'), whole.String()...), ';')
	}
	bits := math.Float64bits(number)
	if math.IsNaN(number) {
		bits = 0x7ff8000000000000
	}
	return binary.BigEndian.AppendUint64(append(out, 'd'), bits)
}

func integer(out []byte, number *big.Int) []byte {
	if number.IsInt64() || number.IsUint64() {
		return append(append(append(out, 'i'), number.String()...), ';')
	}
	nearest, _ := new(big.Float).SetInt(number).Float64()
	return float(out, nearest)
}

func instant(out []byte, at time.Time) []byte {
	return fmt.Appendf(out, "T%d.%d;", at.Unix(), at.Nanosecond())
}

func sized(out []byte, kind byte, bytes string) []byte {
	return append(head(out, kind, len(bytes)), bytes...)
}

func head(out []byte, kind byte, count int) []byte {
	return append(strconv.AppendInt(append(out, kind), int64(count), 10), ':')
}
