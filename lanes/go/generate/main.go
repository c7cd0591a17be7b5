// Command generate writes the code that typed subjects need. Its input is in files that the
// orchestrator writes into a copy of the lane: typed/types.go, the Go types of some payloads;
// typed/root.go, the type of the whole value; and messages/manywire.binpb, their Protocol Buffers
// descriptors. The typed build of lane.toml runs this command.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// tuples copies the types into a separate package, where msgp writes structs as arrays.
func tuples() error {
	if err := os.MkdirAll("tuples", 0o777); err != nil {
		return err
	}
	if err := resolveRoot(); err != nil {
		return err
	}
	structs := make(map[string]bool)
	// The root comes last because it may be an alias of one of the types.
	for _, name := range []string{"types.go", "root.go"} {
		text, err := os.ReadFile("typed/" + name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			return err
		}
		head := "package tuples\n"
		for _, name := range structsOf(file, structs) {
			head += "\n//msgp:tuple " + name + "\n"
		}
		copied := strings.Replace(string(text), "package typed\n", head, 1)
		if err := os.WriteFile("tuples/"+name, []byte(copied), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// resolveRoot replaces an alias as the root by its definition: msgp generates no methods for an alias
// or for a type based on one. If the root is a struct, LaneRoot becomes an alias of it. A defined
// type would not have the struct's methods, which encode keys that no tag can express.
func resolveRoot() error {
	set := token.NewFileSet()
	types, err := parser.ParseFile(set, "typed/types.go", nil, 0)
	if err != nil {
		return err
	}
	root, err := os.ReadFile("typed/root.go")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	ast.Inspect(types, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok || !strings.Contains(string(root), "LaneRoot "+spec.Name.Name+"\n") {
			return true
		}
		head := "package typed\n\n// LaneRoot is the type of the whole value.\ntype LaneRoot "
		if _, isStruct := spec.Type.(*ast.StructType); isStruct {
			text.WriteString(head + "= " + spec.Name.Name + "\n")
		} else if spec.Assign.IsValid() {
			text.WriteString(head)
			err = printer.Fprint(&text, set, spec.Type)
			text.WriteString("\n")
		}
		return true
	})
	if err != nil || text.Len() == 0 {
		return err
	}
	return os.WriteFile("typed/root.go", text.Bytes(), 0o666)
}

// structsOf returns the names of the structs that a file declares, and of the types based on a known
// struct.
func structsOf(file *ast.File, known map[string]bool) []string {
	var names []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		_, isStruct := spec.Type.(*ast.StructType)
		if of, ok := spec.Type.(*ast.Ident); ok && !spec.Assign.IsValid() {
			isStruct = known[of.Name]
		}
		if isStruct {
			names = append(names, spec.Name.Name)
		}
		return true
	})
	for _, name := range names {
		known[name] = true
	}
	return names
}

// methods runs msgp to generate the methods of a package's types.
func methods(folder string) func() error {
	return func() error {
		path := folder + "/msgp.go"
		if err := run(nil, nil, "go", "tool", "msgp", "-file", folder, "-o", path, "-tests=false", "-io=false"); err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, useRangeValues(text), 0o666)
	}
}

// rangeValue matches the head of a loop over the entries of a map, and captures the variable of the
// value.
var rangeValue = regexp.MustCompile(`(?m)^(\s*)for \w+, (\w+) := range .*\{$`)

// useRangeValues adds a use of the value to each loop over a map. For a struct without fields, msgp
// generates a loop that does not use the value, and Go refuses unused variables.
func useRangeValues(text []byte) []byte {
	return rangeValue.ReplaceAll(text, []byte("$0\n$1\t_ = $2"))
}

const messagesPackage = "manywire.dev/lanes/go/messages"

// messages passes the descriptors to the plugins that protoc would run.
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
