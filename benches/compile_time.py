#!/usr/bin/env python3
"""Measures the compile time of endpoints: debug builds of generated services, ours and axum's.

    python3 benches/compile_time.py

The script generates services under target/compile-time: 100 endpoints over 100 types in all formats,
with the feature `fast-compile` and without it; the same with JSON only; the same on axum, which has
only JSON; and 1,000 endpoints over 50 types in all formats, with `fast-compile`. Each type is a record with a list of another type, so the number of types is twice the
given one. The dependencies are built first and do not count. Then each service is built in turn,
several times, from nothing and without incremental compilation, with cargo's defaults: no
optimisation and full debug information. `--times 3` sets the number of builds, `--services a,b`
selects services.

Seconds are medians. Processor time is that of rustc and the linker and is reliable on a busy machine;
wall time is reliable only on an idle one. Sizes are of the binary without symbols and debug
information.

The script fails if a target is missed: at most three times axum's processor time for 100 endpoints,
and 30 s of wall time, on two cores, for 1,000. Both are for `fast-compile`; without it there is no
target, and the ratio is printed.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "compile-time"
RATIO_MAX = 3.0
SECONDS_MAX = 30.0

# The services by name, with their numbers of endpoints and of types.
DIRECT = "manywire-direct-100"
MANYWIRE, JSON, AXUM, MANY = "manywire-100", "manywire-json-100", "axum-100", "manywire-1000"
SERVICES = {MANYWIRE: (100, 100), DIRECT: (100, 100), JSON: (100, 100), AXUM: (100, 100), MANY: (1000, 50)}

# The number of endpoints that one function adds, as in a service of several modules.
TOGETHER = 25

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
"""

# Cargo's defaults, whatever the environment sets, but without incremental compilation.
BUILD = {
    "CARGO_BUILD_JOBS": "2",
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_DEV_DEBUG": "2",
    "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
    "CARGO_TARGET_DIR": str(WORK / "target"),
    "RUSTC_WRAPPER": "",
}

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

MANYWIRE_SOURCE = """\
use manywire::{{Api, Format, Shaped, post}};
use serde::{{Deserialize, Serialize}};
{types}
{functions}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {{
    let api = Api::new("Orders").formats([{formats}]);
{calls}    Ok(api.build()?.bind("127.0.0.1:0").await?.run().await?)
}}
"""

MANYWIRE_FUNCTION = """
fn orders{first}(api: Api) -> Api {{
{routes}    api
}}
"""

MANYWIRE_ROUTE = """\
    let api = api.serve(
        post("/orders{n}/{{id}}").path::<u64>().body::<Order{ty}>().returns::<Order{ty}>()
            .to(|id, order| async move {{ Order{ty} {{ id, ..order }} }}),
    );
"""

AXUM_SOURCE = """\
use axum::extract::Path;
use axum::routing::post;
use axum::{{Json, Router}};
use serde::{{Deserialize, Serialize}};
{types}
{functions}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {{
    let api = Router::new();
{calls}    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    Ok(axum::serve(listener, api).await?)
}}
"""

AXUM_FUNCTION = """
fn orders{first}(api: Router) -> Router {{
{routes}    api
}}
"""

AXUM_ROUTE = """\
    let api = api.route(
        "/orders{n}/{{id}}",
        post(|Path(id): Path<u64>, Json(order): Json<Order{ty}>| async move {{
            Json(Order{ty} {{ id, ..order }})
        }}),
    );
"""

ALL_FORMATS = ", ".join(
    f"Format::{name}" for name in ["Json", "MsgPack", "Cbor", "Protobuf", "Avro", "Bson"])


def source(frame, function, route, derives, endpoints, types, formats=""):
    """Returns the source file of a service."""
    starts = range(0, endpoints, TOGETHER)
    return frame.format(
        types="".join(TYPE.format(n=n, derives=derives) for n in range(types)),
        functions="".join(
            function.format(first=first, routes="".join(
                route.format(n=n, ty=n % types)
                for n in range(first, min(first + TOGETHER, endpoints))))
            for first in starts),
        calls="".join(f"    let api = orders{first}(api);\n" for first in starts),
        formats=formats)


def generate(services):
    """Writes the services, one folder each, with common dependencies."""
    WORK.mkdir(parents=True, exist_ok=True)
    members = ", ".join(f'"{name}"' for name in services)
    (WORK / "Cargo.toml").write_text(WORKSPACE.format(members=members))
    # Uses the versions of the workspace.
    shutil.copy(ROOT / "Cargo.lock", WORK / "Cargo.lock")
    path = ROOT / "crates" / "manywire"
    derives = "Serialize, Deserialize"
    for name in services:
        endpoints, types = SERVICES[name]
        if name == AXUM:
            own = ('axum = { version = "0.8", default-features = false, '
                   'features = ["http1", "http2", "json", "tokio"] }')
            text = source(AXUM_SOURCE, AXUM_FUNCTION, AXUM_ROUTE, derives, endpoints, types)
        else:
            formats = "Format::Json" if name == JSON else ALL_FORMATS
            own = f'manywire = {{ path = "{path}", features = ["fast-compile"] }}'
            if name == DIRECT:
                own = f'manywire = {{ path = "{path}" }}'
            if name == JSON:
                own = (f'manywire = {{ path = "{path}", default-features = false, '
                       'features = ["server", "gzip", "zstd", "br"] }')
            text = source(MANYWIRE_SOURCE, MANYWIRE_FUNCTION, MANYWIRE_ROUTE,
                          f"{derives}, Shaped", endpoints, types, formats)
        (WORK / name / "src").mkdir(parents=True, exist_ok=True)
        (WORK / name / "Cargo.toml").write_text(MANIFEST.format(name=name, own=own))
        (WORK / name / "src" / "main.rs").write_text(text)


def build(name):
    """Builds a service. Returns the processor seconds and the wall seconds."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    # Each is built alone, because together they would have the features of all.
    subprocess.run(["cargo", "build", "--quiet", "-p", name], cwd=WORK, check=True,
                   env={**os.environ, **BUILD})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, time.monotonic() - begun


def size_megabytes(name):
    """Returns the size of a service's stripped binary."""
    stripped = WORK / "stripped"
    subprocess.run(["strip", "-o", stripped, WORK / "target" / "debug" / name], check=True)
    return stripped.stat().st_size / 1e6


def main():
    parser = argparse.ArgumentParser(description="what endpoints cost to compile")
    parser.add_argument("--times", type=int, default=3, help="builds of each service: 3")
    parser.add_argument("--services", default=",".join(SERVICES), help="which: all")
    arguments = parser.parse_args()
    services = arguments.services.split(",")
    unknown = [name for name in services if name not in SERVICES]
    if unknown or arguments.times < 1:
        parser.error(f"expected some of {', '.join(SERVICES)}, and at least one build of each")
    generate(services)
    for name in services:
        build(name)
    runs = {name: [] for name in services}
    for _ in range(arguments.times):
        # Builds the services in turns, so that other load affects all of them.
        for name in services:
            (WORK / name / "src" / "main.rs").touch()
            runs[name].append(build(name))
    processor, clock = ({name: statistics.median(run[which] for run in found)
                         for name, found in runs.items()} for which in (0, 1))
    print(f"{'service':<20}{'processor s':>12}{'clock s':>9}{'size MB':>9}")
    for name in services:
        print(f"{name:<20}{processor[name]:>12.1f}{clock[name]:>9.1f}{size_megabytes(name):>9.1f}")
    missed = False
    if MANYWIRE in runs and AXUM in runs:
        ratios = sorted(ours[0] / theirs[0] for ours, theirs in zip(runs[MANYWIRE], runs[AXUM]))
        ratio = statistics.median(ratios)
        missed |= ratio > RATIO_MAX
        print(f"100 endpoints: {ratio:.2f} times axum's processor time "
              f"({ratios[0]:.2f} to {ratios[-1]:.2f}), at most {RATIO_MAX}")
    if DIRECT in runs and AXUM in runs:
        ratio = processor[DIRECT] / processor[AXUM]
        print(f"100 endpoints without fast-compile: {ratio:.2f} times axum's processor time")
    if MANY in runs:
        missed |= clock[MANY] > SECONDS_MAX
        print(f"1,000 endpoints: {clock[MANY]:.1f} s by the clock, "
              f"{processor[MANY]:.1f} s of processors, at most {SECONDS_MAX} s")
    return missed


if __name__ == "__main__":
    sys.exit(main())
