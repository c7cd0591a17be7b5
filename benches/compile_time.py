#!/usr/bin/env python3
"""What endpoints cost to compile: debug builds of generated services, beside axum's.

    python3 benches/compile_time.py

makes, under target/compile-time: 100 endpoints over 100 types in all formats; the same with JSON
alone; the same on axum, which has JSON alone; and 1,000 endpoints over 50 types in all formats. It
builds what they depend on first, which is not counted, and then each service three times from
nothing, without incremental compilation. Processor seconds are those of rustc and the linker, and
are the least of the three; sizes are of the binary without symbols and debug information.

It fails where a target is missed: at most three times axum's processor time for 100 endpoints, and
30 s for 1,000.
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "compile-time"
TIMES = 3
RATIO_MAX = 3.0
SECONDS_MAX = 30.0

# Name, endpoints, types.
MANYWIRE, JSON, AXUM, MANY = "manywire-100", "manywire-json-100", "axum-100", "manywire-1000"
SERVICES = [(MANYWIRE, 100, 100), (JSON, 100, 100), (AXUM, 100, 100), (MANY, 1000, 50)]

MANIFEST = """\
[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[dependencies]
serde = {{ version = "1", features = ["derive"] }}
tokio = {{ version = "1", features = ["macros", "net", "rt-multi-thread"] }}
{own}
"""

WORKSPACE = """\
[workspace]
resolver = "3"
members = [{members}]

[profile.dev]
opt-level = 0
incremental = false
"""

TYPE = """
#[derive(Debug, {derives})]
struct Order{n} {{
    id: u64,
    customer: String,
    items: Vec<Item{n}>,
    note: Option<String>,
    paid: bool,
}}

#[derive(Debug, {derives})]
struct Item{n} {{
    code: String,
    count: u32,
    price: f64,
    tags: Vec<String>,
}}
"""


def manywire(endpoints, types, formats):
    routes = "".join(
        f"""    let api = api.serve(
        post("/orders{n}/{{id}}").path::<u64>().body::<Order{n % types}>().returns::<Order{n % types}>()
            .to(|id, order: Order{n % types}| async move {{ Order{n % types} {{ id, ..order }} }}),
    );
"""
        for n in range(endpoints))
    return f"""use manywire::{{Api, Format, Shaped, post}};
use serde::{{Deserialize, Serialize}};
{"".join(TYPE.format(n=n, derives="Serialize, Deserialize, Shaped") for n in range(types))}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {{
    let api = Api::new("Orders").formats([{formats}]);
{routes}    Ok(api.build()?.bind("127.0.0.1:0").await?.run().await?)
}}
"""


def axum(endpoints, types):
    routes = "".join(
        f"""    let router = router.route(
        "/orders{n}/{{id}}",
        post(|Path(id): Path<u64>, Json(order): Json<Order{n % types}>| async move {{
            Json(Order{n % types} {{ id, ..order }})
        }}),
    );
"""
        for n in range(endpoints))
    return f"""use axum::extract::Path;
use axum::routing::post;
use axum::{{Json, Router}};
use serde::{{Deserialize, Serialize}};
{"".join(TYPE.format(n=n, derives="Serialize, Deserialize") for n in range(types))}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {{
    let router = Router::new();
{routes}    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    Ok(axum::serve(listener, router).await?)
}}
"""


ALL_FORMATS = ", ".join(
    f"Format::{name}" for name in ["Json", "MsgPack", "Cbor", "Protobuf", "Avro", "Bson"])


def generate():
    """Writes the services; each has a folder, and they share what they depend on."""
    WORK.mkdir(parents=True, exist_ok=True)
    members = ", ".join(f'"{name}"' for name, _, _ in SERVICES)
    (WORK / "Cargo.toml").write_text(WORKSPACE.format(members=members))
    # The versions that everything else is built with.
    shutil.copy(ROOT / "Cargo.lock", WORK / "Cargo.lock")
    path = ROOT / "crates" / "manywire"
    for name, endpoints, types in SERVICES:
        if name == AXUM:
            own = 'axum = { version = "0.8", default-features = false, features = ["http1", "http2", "json", "tokio"] }'
            source = axum(endpoints, types)
        elif name == JSON:
            features = '"server", "gzip", "zstd", "br"'
            own = f'manywire = {{ path = "{path}", default-features = false, features = [{features}] }}'
            source = manywire(endpoints, types, "Format::Json")
        else:
            own = f'manywire = {{ path = "{path}" }}'
            source = manywire(endpoints, types, ALL_FORMATS)
        (WORK / name / "src").mkdir(parents=True, exist_ok=True)
        (WORK / name / "Cargo.toml").write_text(MANIFEST.format(name=name, own=own))
        (WORK / name / "src" / "main.rs").write_text(source)


def build(name):
    """Builds a service; the processor and the wall-clock seconds it took."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    # Each is selected alone: together they would share the features of all.
    subprocess.run(["cargo", "build", "--quiet", "-p", name], cwd=WORK, check=True,
                   env={**os.environ, "CARGO_TARGET_DIR": str(WORK / "target")})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, time.monotonic() - begun


def main():
    generate()
    found = {}
    print(f"{'service':<20}{'processor s':>12}{'wall s':>9}{'size MB':>9}", flush=True)
    for name, _, _ in SERVICES:
        build(name)
        runs = []
        for _ in range(TIMES):
            (WORK / name / "src" / "main.rs").touch()
            runs.append(build(name))
        binary, stripped = WORK / "target" / "debug" / name, WORK / "stripped"
        subprocess.run(["strip", "-o", stripped, binary], check=True)
        found[name] = min(run[0] for run in runs)
        size = stripped.stat().st_size / 1e6
        print(f"{name:<20}{found[name]:>12.1f}{min(run[1] for run in runs):>9.1f}{size:>9.1f}", flush=True)
    ratio = found[MANYWIRE] / found[AXUM]
    print(f"100 endpoints: {ratio:.2f} times axum's processor time, at most {RATIO_MAX}")
    print(f"1,000 endpoints: {found[MANY]:.1f} s of processor time, at most {SECONDS_MAX}")
    return ratio > RATIO_MAX or found[MANY] > SECONDS_MAX


if __name__ == "__main__":
    sys.exit(main())
