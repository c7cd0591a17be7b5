"""Compiles the types that `manywire shape` writes, and decodes the samples with them.

Go, Java, C#, Python, Haskell and Scala write what they decoded again, and it must be what was read;
TypeScript's guards must accept it. Each sample is then broken, a scalar at a time replaced by an array in an array, and
must be refused wherever the types say more than "anything". Rust's types are compiled and tried by
the tests of manywire-schema.
"""

import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

CASES = {
    "hotels": ["examples/hotels.json"],
    "people": ["examples/people.json"],
    "record_a": ["examples/record-a.json"],
    "user": ["examples/user.json"],
    "events": ["examples/events.ndjson"],
    "odd": ["crates/manywire-schema/tests/native/odd.json"],
    "kinds": ["crates/manywire-schema/tests/native/kinds.ndjson"],
    # Optional keys that every object of JavaScript inherits.
    "inherited": ["crates/manywire-schema/tests/native/inherited.ndjson"],
}
# Cases whose types come from a schema instead of the samples.
SCHEMAS = {"kinds": "crates/manywire-schema/tests/native/kinds.schema.json"}
# Real payloads, if they are installed.
SUITES = {
    "twitter": "nativejson/twitter.json",
    "citm": "nativejson/citm_catalog.json",
    "canada": "nativejson/canada.json",
    "amadeus_booking": "amadeus/HotelBooking_v2.example1.json",
    "amadeus_search": "amadeus/HotelSearch_v3.example1.json",
    "github_pull": "github_webhooks/pull_request_opened.payload.json",
    "github_check": "github_webhooks/check_run_completed.payload.json",
    "facile": "facile/document.json",
}
# The maximum number of broken samples for each case.
MUTANTS = 12


class Failure(Exception):
    pass


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return done.stdout


def samples(files):
    for file in files:
        text = pathlib.Path(file).read_text()
        for piece in text.splitlines() if file.endswith("json") and "ndjson" in file else [text]:
            yield json.loads(piece)


def scalars(value, path=()):
    """Returns the paths of scalars, in order."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from scalars(inner, path + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from scalars(inner, path + (index,))
    elif value is not None:
        yield path


def mutants(value):
    paths = list(scalars(value))
    for path in paths[:: max(1, len(paths) // MUTANTS)][:MUTANTS]:
        broken = copy.deepcopy(value)
        place = broken
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = [[[]]]
        yield path, broken


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return value


def without_odd_names(value):
    """Removes the keys that msgspec cannot use as names, which the types declare as skipped."""
    if isinstance(value, dict):
        odd = lambda key: any(c in '"\\\\' or ord(c) < 32 for c in key)
        return {key: without_odd_names(inner) for key, inner in value.items() if not odd(key)}
    if isinstance(value, list):
        return [without_odd_names(inner) for inner in value]
    return value


def unpackable(case, document):
    """Removes what the types declare as skipped: unknown keys, and keys without a tag."""
    if case.name == "kinds" and "open" in document:
        document = document | {"open": {"id": document["open"]["id"]}}
    if case.name == "odd":
        document = {key: value for key, value in document.items() if key not in ("", "-", "tab\t")}
    return document


def same(left, right):
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right


class Case:
    def __init__(self, manywire, folder, name, files, schema):
        self.name = name
        self.files = files
        self.schema = schema
        self.manywire = manywire
        self.samples = list(samples(files))
        self.folder = folder / "documents"
        self.folder.mkdir(parents=True, exist_ok=True)
        # If a language's type is "anything", a mutant is as valid as the sample.
        self.mutants = [pair for sample in self.samples[:3] for pair in mutants(sample)][: 2 * MUTANTS]
        for index, sample in enumerate(self.samples):
            self.document(index).write_text(json.dumps(sample))
        for index, (_, broken) in enumerate(self.mutants):
            self.document(f"broken{index}").write_text(json.dumps(broken))

    def document(self, index):
        return (self.folder / f"{self.name}.{index}.json").resolve()

    def write(self, language, *options):
        inputs = [self.schema] if self.schema else self.files
        return run(self.manywire, "shape", *inputs, "--as", language, *options)

    def documents(self, language):
        """Returns the samples as JSON and, if the types support it, as MessagePack."""
        texts = [self.document(index) for index in range(len(self.samples))]
        if language == "csharp":
            # The same documents, read by Newtonsoft.Json.
            return texts + [path.with_suffix(".newtonsoft") for path in texts]
        if language not in ("go", "python"):
            return texts
        return texts + [path for text in texts if (path := text.with_suffix(".msgpack")).exists()]

    def broken(self):
        return [self.document(f"broken{index}") for index in range(len(self.mutants))]


# Each language prints one line for every document of every case: its output, or "refused".


def go(cases, home):
    folder = fresh(home / "go")
    for name in ("go.mod", "go.sum"):
        shutil.copy(f".ci/native.{name}", folder / name)
    imports, table, packed = [], [], []
    for case in cases:
        package = folder / case.name
        package.mkdir()
        source = case.write("go", "--package", case.name, "--name", "Root")
        (package / "types.go").write_text(source)
        # The name of the root, or of the document that contains it.
        root = "Document" if "\ntype Document = " in source else root_of(case, source, "type {} struct")
        imports.append(f'"native/{case.name}"')
        table.append(f'"{case.name}": func(data []byte) ([]byte, error) {{ return again[{case.name}.{root}](data) }},')
        packed.append(f'"{case.name}": func(data []byte) ([]byte, error) {{ return unpacked[{case.name}.{root}](data) }},')
    if unformatted := run("gofmt", "-l", folder):
        raise Failure(f"gofmt would format {unformatted}{run('gofmt', '-d', folder)}")
    (folder / "main.go").write_text(GO % ("\n".join(imports), "\n".join(table), "\n".join(packed)))
    environment = dict(os.environ, GOFLAGS="-mod=readonly", GOTOOLCHAIN="local")
    run("go", "vet", "./...", cwd=folder, env=environment)
    run("go", "build", "-o", "check", ".", cwd=folder, env=environment)
    return lambda jobs: run(folder / "check", input=jobs)


GO = """package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/vmihailenco/msgpack/v5"
	%s
)

func again[T any](data []byte) ([]byte, error) {
	var value T
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

var cases = map[string]func([]byte) ([]byte, error){
	%s
}

func unpacked[T any](data []byte) ([]byte, error) {
	var value T
	if err := msgpack.Unmarshal(data, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

var packed = map[string]func([]byte) ([]byte, error){
	%s
}

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		name, path, _ := strings.Cut(scanner.Text(), " ")
		data, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		decode := cases[name]
		if strings.HasSuffix(path, ".msgpack") {
			decode = packed[name]
		}
		text, err := decode(data)
		if err != nil {
			fmt.Println("refused", strings.ReplaceAll(err.Error(), "\\n", " "))
			continue
		}
		fmt.Println(string(text))
	}
}
"""


def typescript(cases, home):
    folder = fresh(home / "ts")
    imports, table = [], []
    for case in cases:
        source = case.write("typescript", "--name", "Root")
        (folder / f"{case.name}.ts").write_text(source)
        root = "Document" if "\nexport type Document = " in source else root_of(case, source, "interface {} ")
        imports.append(f'import {{ is{root} as {case.name} }} from "./{case.name}.js";')
        table.append(f"{case.name},")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "main.ts").write_text(TYPESCRIPT % ("\n".join(imports), " ".join(table)))
    (folder / "node.d.ts").write_text(
        'declare module "node:fs" { export function readFileSync(path: string | number, encoding: "utf8"): string; }\n'
        "declare const console: { log(text: string): void };\n"
    )
    options = ["--strict", "--noUnusedLocals", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"]
    options += ["--target", "es2022", "--module", "nodenext", "--lib", "es2022"]
    run(tsc(home), *options, "--outDir", folder / "out", folder / "main.ts", folder / "node.d.ts")
    (folder / "out/package.json").write_text('{"type": "module"}')
    return lambda jobs: run("node", folder / "out/main.js", input=jobs)


TYPESCRIPT = """import { readFileSync } from "node:fs";
%s

const cases: { [name: string]: (value: unknown) => boolean } = { %s };
for (const line of readFileSync(0, "utf8").split("\\n")) {
  const [name, path] = line.split(" ");
  const guard = name && cases[name];
  if (!guard || !path) continue;
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  console.log(guard(value) ? JSON.stringify(value) : "refused");
}
"""


def java(cases, home):
    folder = fresh(home / "java")
    table = []
    for case in cases:
        source = case.write("java", "--package", case.name, "--name", "Root")
        (folder / case.name).mkdir()
        (folder / case.name / "Types.java").write_text(source)
        # "The whole value is List&lt;Root&gt;."
        root = source.split("The whole value is ")[1].split(". */")[0]
        root = root.replace("&lt;", "<").replace("&gt;", ">").replace("List<", "java.util.List<")
        root = root.replace("Map<", "java.util.Map<")
        for name in ("Root", "Kinds"):
            root = root.replace(name, f"{case.name}.Types.{name}")
        table.append(f'cases.put("{case.name}", new TypeReference<{root}>() {{}});')
    (folder / "Main.java").write_text(JAVA % "\n".join(table))
    jars = f"{(home / 'jars').resolve()}/*"
    run("javac", "-Xlint:all,-processing", "-Werror", "-cp", jars, "-d", folder / "out", *folder.glob("*/*.java"), folder / "Main.java")
    return lambda jobs: run("java", "-cp", f"{jars}:{(folder / 'out').resolve()}", "Main", input=jobs)


JAVA = """
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        Map<String, TypeReference<?>> cases = new HashMap<>();
        %s
        ObjectMapper mapper = new ObjectMapper();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        for (String line; (line = in.readLine()) != null;) {
            String[] words = line.split(" ", 2);
            byte[] bytes = Files.readAllBytes(Path.of(words[1]));
            try {
                out.println(mapper.writeValueAsString(mapper.readValue(bytes, cases.get(words[0]))));
            } catch (JsonProcessingException error) {
                out.println("refused " + error.getMessage().replace('\\n', ' '));
            }
        }
    }
}
"""


def qualified_root(source, package):
    """Returns the type of the whole value, which the source names as in "The whole value is List<Root>.", with
    its package."""
    root = source.split("The whole value is ")[1].split(".\n")[0]
    return re.sub("Root|Kinds", lambda name: f"{package}.{name[0]}", root)


def csharp(cases, home):
    folder = fresh(home / "cs")
    lane = dotnet(cases[0].manywire)
    table = []
    for case in cases:
        source = case.write("csharp", "--package", case.name, "--name", "Root")
        (folder / f"{case.name}.cs").write_text(source)
        root = qualified_root(source, case.name)
        table.append(f'["{case.name}"] = Again<{root}>,')
    (folder / "Main.cs").write_text(CSHARP % "\n".join(table))
    libraries = [lane / "declared/System.Text.Json.dll", lane / "out/Newtonsoft.Json.dll"]
    facades = pathlib.Path("/usr/lib/mono/4.5/Facades").glob("System.*.dll")
    (folder / "references").write_text("".join(f"-r:{path}\n" for path in [*libraries, *facades]))
    options = ["-langversion:7", "-warnaserror+", "-r:System.Runtime.Serialization.dll"]
    sources = folder.glob("*.cs")
    run("mcs", *options, f"-out:{folder / 'Main.dll'}", f"@{folder / 'references'}", *sources)
    shutil.copy(libraries[1], folder)
    shutil.copy(lane / "out/Lane.runtimeconfig.json", folder / "Main.runtimeconfig.json")
    return lambda jobs: run(lane / "runtime/dotnet", folder / "Main.dll", input=jobs)


CSHARP = """
using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using SystemTextJson = System.Text.Json.JsonSerializer;
using Newtonsoft.Json;

public static class Program
{
    // Otherwise the library takes the keys "$ref" and "$id" for its own.
    private static readonly JsonSerializerSettings Settings =
        new JsonSerializerSettings { MetadataPropertyHandling = MetadataPropertyHandling.Ignore };

    private static string Again<T>(string path)
    {
        byte[] bytes = File.ReadAllBytes(Path.ChangeExtension(path, ".json"));
        if (path.EndsWith(".newtonsoft", StringComparison.Ordinal))
        {
            return JsonConvert.SerializeObject(JsonConvert.DeserializeObject<T>(Encoding.UTF8.GetString(bytes), Settings));
        }
        return Encoding.UTF8.GetString(SystemTextJson.SerializeToUtf8Bytes(SystemTextJson.Deserialize<T>(bytes, null), null));
    }

    private static readonly Dictionary<string, Func<string, string>> Cases = new Dictionary<string, Func<string, string>>
    {
        %s
    };

    public static void Main()
    {
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] words = line.Split(new[] { ' ' }, 2);
            try
            {
                Console.WriteLine(Cases[words[0]](words[1]));
            }
            catch (Exception error) when (error is JsonException || error.GetType().FullName == "System.Text.Json.JsonException")
            {
                Console.WriteLine("refused " + error.Message.Replace('\\n', ' '));
            }
        }
    }
}
"""


def python(cases, home):
    folder = fresh(home / "py")
    for case in cases:
        (folder / f"case_{case.name}.py").write_text(case.write("python", "--name", "Root"))
    (folder / "main.py").write_text(PYTHON)
    return lambda jobs: run(interpreter(home), folder / "main.py", input=jobs)


PYTHON = """
import importlib, pathlib, sys
import msgspec

decoders = {}
for line in sys.stdin:
    name, path = line.split()
    if name not in decoders:
        module = importlib.import_module(f"case_{name}")
        root = next(getattr(module, name) for name in ("Document", "Root", "Kinds") if hasattr(module, name))
        decoders[name] = {".json": msgspec.json.Decoder(root), ".msgpack": msgspec.msgpack.Decoder(root)}
    path = pathlib.Path(path)
    try:
        value = decoders[name][path.suffix].decode(path.read_bytes())
        print(msgspec.json.encode(value).decode())
    except msgspec.ValidationError as error:
        print("refused", error)
"""


def haskell(cases, home):
    folder = fresh(home / "haskell")
    imports, table = [], []
    for case in cases:
        module = f"Case_{case.name}"
        source = case.write("haskell", "--package", module, "--name", "Root")
        (folder / f"{module}.hs").write_text(source)
        root = "Document" if "\ntype Document = " in source else root_of(case, source, "\ndata {} = ")
        imports.append(f"import qualified {module}")
        table.append(f'("{case.name}", again (id :: {module}.{root} -> {module}.{root}))')
    (folder / "Main.hs").write_text(HASKELL % ("\n".join(imports), "\n  , ".join(table)))
    run("ghc", "-v0", "-O0", "-Wall", "-Werror", "-o", "check", "Main.hs", cwd=folder)
    # The encoding of texts in GHC is that of the locale.
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    return lambda jobs: run(folder / "check", input=jobs, env=environment)


HASKELL = """module Main (main) where

import Data.Aeson (FromJSON, ToJSON, eitherDecode, eitherDecodeStrict', encode, toJSON)
import qualified Data.ByteString as Strict
import qualified Data.ByteString.Lazy as Lazy
import qualified Data.ByteString.Lazy.Char8 as Char8
%s

main :: IO ()
main = getContents >>= mapM_ (answer . words) . lines

answer :: [String] -> IO ()
answer [name, path] | Just decode <- lookup name cases = do
  text <- decode <$> Strict.readFile path
  either (putStrLn . unwords . ("refused" :) . lines) Char8.putStrLn text
answer other = fail (unwords other)

cases :: [(String, Strict.ByteString -> Either String Lazy.ByteString)]
cases =
  [ %s
  ]

again :: (FromJSON a, ToJSON a) => (a -> a) -> Strict.ByteString -> Either String Lazy.ByteString
again same bytes = do
  value <- same <$> eitherDecodeStrict' bytes
  let text = encode value
  written <- eitherDecode text
  if written == toJSON value then Right text else error "toJSON and toEncoding differ"
"""


PACK = """
import json, pathlib, sys
import msgspec

for path in pathlib.Path(sys.argv[1]).glob("*.json"):
    # Maps with number keys have text keys only in JSON.
    if path.name.startswith("kinds."):
        continue
    path.with_suffix(".msgpack").write_bytes(msgspec.msgpack.encode(json.loads(path.read_text())))
"""


def scala(cases, home):
    folder = fresh(home / "scala")
    codecs = []
    for case in cases:
        source = case.write("scala", "--package", case.name, "--name", "Root")
        (folder / f"{case.name}.scala").write_text(source)
        root = qualified_root(source, case.name)
        codecs.append(f'"{case.name}" -> new Again[{root}](JsonCodecMaker.make[{root}]({SCALA_CONFIG})),')
    (folder / "Main.scala").write_text(SCALA % "\n    ".join(codecs))
    jars = f"{(home / 'scala-jars').resolve()}/*"
    # Macros recurse as deep as the types are nested.
    compiler = ["java", "-Xss64m", "-cp", jars, "scala.tools.nsc.Main", "-usejavacp"]
    # A macro's code has warnings of its own, so only the types must have none.
    options = ["-release", "17", "-deprecation", "-feature", "-Xlint", "-Werror", "-Wconf:src=.*Main.scala:s"]
    run(*compiler, *options, "-d", folder / "out.jar", *folder.glob("*.scala"))
    return lambda jobs: run("java", "-cp", f"{jars}:{(folder / 'out.jar').resolve()}", "Main", input=jobs)


# Names the keys that cannot be names. The macro evaluates it, so each call has it as an argument.
SCALA_CONFIG = (
    "CodecMakerConfig.withAllowRecursiveTypes(true).withTransientEmpty(false).withRequireCollectionFields(true)"
    ".withMapMaxInsertNumber(Int.MaxValue).withFieldNameMapper {"
    ' case "empty_" => ""; case "__" => "_"; case "hashCode_" => "hashCode"; case "toString_" => "toString" }'
)
SCALA = """
import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._
import java.io.{FileDescriptor, FileOutputStream, PrintStream}
import java.nio.file.{Files, Path}
import scala.io.Source

final class Again[T](codec: JsonValueCodec[T]) {
  def apply(bytes: Array[Byte]): String = writeToString(readFromArray(bytes)(codec))(codec)
}

object Main {
  // A value of several kinds is kept as its bytes.
  implicit val any: JsonValueCodec[Any] = new JsonValueCodec[Any] {
    def nullValue: Any = null
    def decodeValue(in: JsonReader, default: Any): Any = in.readRawValAsBytes()
    def encodeValue(value: Any, out: JsonWriter): Unit = out.writeRawVal(value.asInstanceOf[Array[Byte]])
  }

  // The tags of enums are arguments of a derivation.
  implicit val external: JsonValueCodec[kinds.External] =
    JsonCodecMaker.make(CodecMakerConfig.withDiscriminatorFieldName(None))
  implicit val internal: JsonValueCodec[kinds.Internal] =
    JsonCodecMaker.make(CodecMakerConfig.withDiscriminatorFieldName(Some("kind")))
  implicit val adjacent: JsonValueCodec[kinds.Adjacent] =
    JsonCodecMaker.make(CodecMakerConfig.withDiscriminatorFieldName(Some("t")))

  private val colors: Map[String, kinds.Color] =
    Seq(kinds.Color.red, kinds.Color.`dark green`, kinds.Color.`class`).map(color => color.productPrefix -> color).toMap +
      ("" -> kinds.Color.`empty_`)
  private val colorNames = colors.map(_.swap)
  implicit val color: JsonValueCodec[kinds.Color] = new JsonValueCodec[kinds.Color] {
    def nullValue: kinds.Color = null
    def decodeValue(in: JsonReader, default: kinds.Color): kinds.Color =
      colors.getOrElse(in.readString(null), in.decodeError("unknown color"))
    def encodeValue(value: kinds.Color, out: JsonWriter): Unit = out.writeVal(colorNames(value))
  }
  implicit val colorKey: JsonKeyCodec[kinds.Color] = new JsonKeyCodec[kinds.Color] {
    def decodeKey(in: JsonReader): kinds.Color = colors.getOrElse(in.readKeyAsString(), in.decodeError("unknown color"))
    def encodeKey(value: kinds.Color, out: JsonWriter): Unit = out.writeKey(colorNames(value))
  }

  private val cases: Map[String, Again[_]] = Map(
    %s
  )

  def main(arguments: Array[String]): Unit = {
    val out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8")
    Source.stdin.getLines().foreach { line =>
      val Array(name, path) = line.split(" ", 2)
      val bytes = Files.readAllBytes(Path.of(path))
      try out.println(cases(name)(bytes))
      catch {
        case error: JsonReaderException => out.println("refused " + error.getMessage.linesIterator.next())
      }
    }
  }
}
"""


def root_of(case, source, pattern):
    for name in ("Root", "Kinds"):
        if pattern.format(name) in source:
            return name
    raise Failure(f"{case.name}: no root in\n{source}")


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def dotnet(manywire):
    """Returns the folder of the .NET lane's build, which has the runtime and Newtonsoft.Json."""
    lanes = json.loads(run(manywire, "lanes", "--json"))["lanes"]
    [fingerprint] = [lane["fingerprint"] for lane in lanes if lane["name"] == "dotnet"]
    return pathlib.Path(f"target/exchange/lanes/dotnet-{fingerprint}").resolve()


def tsc(home):
    return home / "typescript/node_modules/.bin/tsc"


def interpreter(home):
    return home / "venv/bin/python"


MSGPACK = "github.com/vmihailenco/msgpack/v5@v5.4.1"


def missing(language, manywire, home, present):
    """Returns the missing tool of a language, or nothing."""
    tools = {
        "go": ["go"],
        "typescript": ["node"],
        "java": ["javac"],
        "csharp": ["mcs"],
        "python": [],
        "haskell": ["ghc", "ghc-pkg"],
        "scala": ["java"],
    }[language]
    lacking = [tool for tool in tools if shutil.which(tool) is None]
    if language == "haskell" and not lacking:
        found = subprocess.run(["ghc-pkg", "latest", "aeson"], capture_output=True).returncode == 0
        return None if found else "aeson"
    files = {
        "go": pathlib.Path(run("go", "env", "GOMODCACHE").strip()) / MSGPACK if not lacking else None,
        "typescript": tsc(home),
        "java": home / "jars/jackson-databind-2.22.1.jar",
        "csharp": dotnet(manywire) / "runtime/dotnet" if language == "csharp" and not lacking else None,
        "python": interpreter(home),
        "scala": home / "scala-jars/scala-compiler-2.13.16.jar",
    }
    # Without --present, Go downloads its module, which .ci/native.go.sum pins.
    if not lacking and (present or language != "go") and not files[language].exists():
        return files[language].name
    return lacking[0] if lacking else None


# The share of broken samples that must be refused. Languages that represent unions as "anything" (Go,
# Java, C#, Haskell, Scala) and libraries that coerce values accept more.
REFUSED_MIN = {"go": 0.8, "typescript": 0.9, "java": 0.8, "csharp": 0.8, "python": 0.9, "haskell": 0.8, "scala": 0.8}
# Languages that are skipped without their tools even if all tools are installed: GHC takes a gigabyte.
OPTIONAL = {"haskell"}


def check(language, cases, answer):
    jobs = [(case, path) for case in cases for path in case.documents(language) + case.broken()]
    lines = answer("".join(f"{case.name} {path}\n" for case, path in jobs)).splitlines()
    if len(lines) != len(jobs):
        raise Failure(f"{language}: {len(lines)} answers to {len(jobs)} documents")
    refused = broken = decoded = 0
    taken = []
    for (case, path), line in zip(jobs, lines):
        if ".broken" in path.name:
            broken += 1
            refused += line.startswith("refused")
            if not line.startswith("refused"):
                index = int(path.name.split(".broken")[1].split(".")[0])
                taken.append(f"{case.name} {case.mutants[index][0]}")
            continue
        if line.startswith("refused"):
            raise Failure(f"{language}: {path.name}: {line}")
        document, again = json.loads(path.with_suffix(".json").read_text()), json.loads(line)
        if language == "go" and path.suffix == ".msgpack":
            document, again = unpackable(case, document), unpackable(case, again)
        # The types declare that Newtonsoft.Json skips unknown keys.
        if path.suffix == ".newtonsoft" and case.name == "kinds":
            document, again = unpackable(case, document), unpackable(case, again)
        # Go, Java, C#, Haskell and Scala do not distinguish null and absent; TypeScript rounds numbers beyond 2^53.
        if language in ("go", "java", "csharp", "haskell", "scala"):
            document, again = without_nulls(document), without_nulls(again)
        if language == "python":
            document = without_odd_names(document)
            document, again = unpackable(case, document), unpackable(case, again)
        if language == "scala" and case.name == "kinds":
            document, again = unpackable(case, document), unpackable(case, again)
        if language != "typescript" and not same(document, again):
            raise Failure(f"{language}: {path.name} came back otherwise:\n{document}\n{again}")
        decoded += 1
    if refused < broken * REFUSED_MIN[language]:
        raise Failure(f"{language}: {refused} of {broken} broken documents were refused; taken: {taken}")
    print(f"{language}: {decoded} documents decoded, {refused} of {broken} broken ones refused")


def main():
    manywire, home, mode = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    files = dict(CASES)
    suites = os.environ.get("MANYWIRE_SUITES")
    if suites:
        files.update({name: [f"{suites}/payloads/{file}"] for name, file in SUITES.items()})
    else:
        print("skipped: no suites")
    shutil.rmtree(home / "documents", ignore_errors=True)
    cases = [Case(manywire, home, name, paths, SCHEMAS.get(name)) for name, paths in files.items()]
    if interpreter(home).exists():
        run(interpreter(home), "-c", PACK, home / "documents")
    for language in (go, typescript, java, csharp, python, haskell, scala):
        name = language.__name__
        lacking = missing(name, manywire, home, mode == "--present")
        if lacking and (mode == "--present" or name in OPTIONAL):
            print(f"skipped: no {lacking} for {name}")
            continue
        if lacking:
            raise Failure(f"{name}: there is no {lacking}")
        check(name, cases, language(cases, home))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"error: {failure}")
