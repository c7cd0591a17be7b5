package main

import "go.mongodb.org/mongo-driver/v2/bson"

func bsonSubjects() []subject {
	return []subject{
		simple("go.mongodb.org/mongo-driver/v2", "mongo-driver/bson", "bson", "dynamic", coder{
			decode: func(bytes []byte) (any, error) {
				var value bson.D
				err := bson.Unmarshal(bytes, &value)
				return value, err
			},
			encode: bson.Marshal,
		}),
	}
}
