package main

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/big"
	"testing"
	"time"
)

func of(form string) string {
	sum := sha256.Sum256([]byte(form))
	return hex.EncodeToString(sum[:])
}

func TestDigestsMatchTheContract(t *testing.T) {
	type inner struct {
		B      []any          `key:"b"`
		Absent *int           `key:"absent"`
		None   []int          `key:"none"`
		Gone   map[string]int `key:"gone"`
		A      float32        `key:"a"`
		hidden int
	}
	list := []any{true, nil, int8(-1)}
	huge := new(big.Int).Lsh(big.NewInt(1), 64)
	for name, each := range map[string]struct {
		value any
		form  string
	}{
		"map":       {map[any]any{"b": list, "absent": nil, "a": 2.0}, "m2:s1:ai2;s1:ba3:tni-1;"},
		"struct":    {&inner{B: list, A: 2, hidden: 1}, "m2:s1:ai2;s1:ba3:tni-1;"},
		"keys":      {map[int]bool{5: true}, "m1:s1:5t"},
		"zero":      {math.Copysign(0, -1), "i0;"},
		"largest":   {uint64(math.MaxUint64), "i18446744073709551615;"},
		"beyond":    {huge, "d\x43\xf0\x00\x00\x00\x00\x00\x00"},
		"by value":  {*huge, "d\x43\xf0\x00\x00\x00\x00\x00\x00"},
		"nan":       {math.NaN(), "d\x7f\xf8\x00\x00\x00\x00\x00\x00"},
		"half":      {1.5, "d\x3f\xf8\x00\x00\x00\x00\x00\x00"},
		"text":      {"é😀", "s6:é😀"},
		"bytes":     {[]byte("ab"), "b2:ab"},
		"empty":     {[]int{}, "a0:"},
		"time":      {time.Unix(-1, 999_000_000), "T-1.999000000;"},
		"rational":  {big.NewRat(6, 3), "i2;"},
		"no digest": {make(chan int), ""},
	} {
		found, err := digest(each.value)
		if each.form == "" {
			if err == nil {
				t.Errorf("%s: expected an error, found %s", name, found)
			}
			continue
		}
		if err != nil || found != of(each.form) {
			t.Errorf("%s: found %s, %v", name, found, err)
		}
	}
}
