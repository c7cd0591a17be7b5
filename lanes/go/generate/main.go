// Command generate turns what the orchestrator writes into a copy of this folder (types.go, the
// Go types of some payloads, and manywire.binpb, their Protocol Buffers) into the code that typed
// subjects need. It is run by the typed build of lane.toml.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	for _, step := range []func() error{tuples, methods("typed"), methods("tuples"), messages} {
		if err := step(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// tuples copies the types into a package of their own, where msgp writes structs as arrays.
func tuples() error {
	text, err := os.ReadFile("typed/types.go")
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), "typed/types.go", text, 0)
	if err != nil {
		return err
	}
	directives := "package tuples\n"
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.TypeSpec); ok {
			if _, ok := spec.Type.(*ast.StructType); ok {
				directives += "\n//msgp:tuple " + spec.Name.Name + "\n"
			}
		}
		return true
	})
	if err := os.MkdirAll("tuples", 0o777); err != nil {
		return err
	}
	copied := strings.Replace(string(text), "package typed\n", directives, 1)
	root, err := os.ReadFile("typed/root.go")
	if err != nil {
		return err
	}
	copiedRoot := strings.Replace(string(root), "package typed\n", "package tuples\n", 1)
	if err := os.WriteFile("tuples/root.go", []byte(copiedRoot), 0o666); err != nil {
		return err
	}
	return os.WriteFile("tuples/types.go", []byte(copied), 0o666)
}

// methods has msgp write the methods of a package's types.
func methods(folder string) func() error {
	return func() error {
		return run(nil, nil, "go", "tool", "msgp", "-file", folder, "-o", folder+"/msgp.go", "-tests=false", "-io=false")
	}
}

const messagesPackage = "manywire.dev/lanes/go/messages"

// messages hands the descriptors to the plugins that protoc would run.
func messages() error {
	descriptors, err := os.ReadFile("messages/manywire.binpb")
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(descriptors, &set); err != nil {
		return err
	}
	const known = "google.golang.org/protobuf/types/known/"
	parameter := "paths=source_relative,Mmanywire.proto=" + messagesPackage +
		",Mgoogle/protobuf/timestamp.proto=" + known + "timestamppb" +
		",Mgoogle/protobuf/empty.proto=" + known + "emptypb"
	plugins := []struct{ name, parameter string }{
		{"protoc-gen-go", parameter},
		{"protoc-gen-go-vtproto", parameter + ",features=marshal+unmarshal+size"},
	}
	for _, plugin := range plugins {
		request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
			FileToGenerate: []string{"manywire.proto"},
			Parameter:      &plugin.parameter,
			ProtoFile:      set.File,
		})
		if err != nil {
			return err
		}
		var output bytes.Buffer
		if err := run(request, &output, "go", "tool", plugin.name); err != nil {
			return err
		}
		var response pluginpb.CodeGeneratorResponse
		if err := proto.Unmarshal(output.Bytes(), &response); err != nil {
			return err
		}
		if response.Error != nil {
			return fmt.Errorf("%s: %s", plugin.name, *response.Error)
		}
		for _, file := range response.File {
			path := filepath.Join("messages", filepath.Base(file.GetName()))
			if err := os.WriteFile(path, []byte(file.GetContent()), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

func run(input []byte, output *bytes.Buffer, program string, arguments ...string) error {
	command := exec.Command(program, arguments...)
	command.Stdin = bytes.NewReader(input)
	command.Stderr = os.Stderr
	if output != nil {
		command.Stdout = output
	}
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", program, strings.Join(arguments, " "), err)
	}
	return nil
}
