package main

import (
	"errors"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

func protobufSubjects() []subject {
	return []subject{{
		Library: "google.golang.org/protobuf", Version: version("google.golang.org/protobuf"),
		Format: "protobuf", Target: "dynamic", Buffer: "fresh",
		prepare: func(schema *schema) (coder, error) {
			root, err := rootDescriptor(schema)
			if err != nil {
				return coder{}, err
			}
			return coder{
				decode: func(bytes []byte) (any, error) {
					message := dynamicpb.NewMessage(root)
					err := proto.Unmarshal(bytes, message)
					return message, err
				},
				encode: func(value any) ([]byte, error) { return proto.Marshal(value.(proto.Message)) },
				plain: func(value any) (any, error) {
					return schema.Model.root(value.(proto.Message).ProtoReflect())
				},
			}, nil
		},
	}}
}

func rootDescriptor(schema *schema) (protoreflect.MessageDescriptor, error) {
	if schema.Model == nil {
		return nil, errors.New("no schema was given")
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(schema.Descriptors, &set); err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, err
	}
	name := protoreflect.FullName(schema.Model.Package + "." + schema.Model.Root)
	found, err := files.FindDescriptorByName(name)
	if err != nil {
		return nil, err
	}
	return found.(protoreflect.MessageDescriptor), nil
}
