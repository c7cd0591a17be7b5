package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"sync"
)

// Compressors are reused: each takes almost a megabyte, and creating one costs more than compressing
// a response.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

var inflaters = sync.Pool{New: func() any { return new(gzip.Reader) }}

// deflate compresses with gzip at level 6, its default.
func deflate(plain []byte) ([]byte, error) {
	writer := compressors.Get().(*gzip.Writer)
	defer compressors.Put(writer)
	var packed bytes.Buffer
	writer.Reset(&packed)
	if _, err := writer.Write(plain); err != nil {
		return nil, err
	}
	err := writer.Close()
	return packed.Bytes(), err
}

func inflate(packed []byte) ([]byte, error) {
	reader := inflaters.Get().(*gzip.Reader)
	defer inflaters.Put(reader)
	if err := reader.Reset(bytes.NewReader(packed)); err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
