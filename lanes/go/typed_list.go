package main

// typedList lists the typed subjects, which are the same with and without generated types.
func typedList() []subject {
	of := func(module, library, format string) subject {
		return subject{Library: library, Version: version(module), Format: format, Target: "typed", Buffer: "fresh"}
	}
	return []subject{
		of("", "encoding/json", "json"),
		of("github.com/goccy/go-json", "goccy/go-json", "json"),
		of("github.com/vmihailenco/msgpack/v5", "vmihailenco/msgpack", "msgpack"),
		of("github.com/tinylib/msgp", "tinylib/msgp", "msgpack"),
		of("github.com/vmihailenco/msgpack/v5", "vmihailenco/msgpack", "msgpack-array"),
		of("github.com/tinylib/msgp", "tinylib/msgp", "msgpack-array"),
		of("github.com/fxamacker/cbor/v2", "fxamacker/cbor", "cbor"),
		of("google.golang.org/protobuf", "google.golang.org/protobuf", "protobuf"),
		of("github.com/planetscale/vtprotobuf", "planetscale/vtprotobuf", "protobuf"),
		of("github.com/hamba/avro/v2", "hamba/avro", "avro"),
		of("go.mongodb.org/mongo-driver/v2", "mongo-driver/bson", "bson"),
	}
}
