//! The lanes of `lanes/`: every language has every format, or a reason in `failing.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use manywire_format::{FORMATS, Format};
use manywire_tools::weigh::lanes::{self, Lane};
use manywire_tools::weigh::subject::{Subject, ValueKind};
use manywire_tools::weigh::worker::built_in_lane;

fn all() -> Vec<Lane> {
    lanes::all(None).expect("every lane has a manifest that can be read")
}

/// The required libraries of each language: lane, format, libraries.
const LIBRARIES: [(&str, &str, &[&str]); 35] = [
    ("go", "json", &["encoding/json", "goccy/go-json"]),
    ("go", "msgpack", &["vmihailenco/msgpack", "tinylib/msgp"]),
    ("go", "msgpack-array", &["vmihailenco/msgpack", "tinylib/msgp"]),
    ("go", "protobuf", &["google.golang.org/protobuf", "planetscale/vtprotobuf"]),
    ("go", "cbor", &["fxamacker/cbor"]),
    ("go", "avro", &["hamba/avro"]),
    ("go", "bson", &["mongo-driver/bson"]),
    ("java", "json", &["jackson-databind", "fastjson2"]),
    ("java", "msgpack", &["jackson-dataformat-msgpack", "msgpack-core"]),
    ("java", "msgpack-array", &["jackson-dataformat-msgpack", "msgpack-core"]),
    ("java", "protobuf", &["protobuf-java"]),
    ("java", "cbor", &["jackson-dataformat-cbor"]),
    ("java", "avro", &["jackson-dataformat-avro"]),
    ("java", "bson", &["bson"]),
    ("node", "json", &["JSON"]),
    ("node", "msgpack", &["msgpackr", "@msgpack/msgpack"]),
    ("node", "msgpack-array", &["msgpackr", "@msgpack/msgpack"]),
    ("node", "protobuf", &["protobufjs", "@bufbuild/protobuf"]),
    ("node", "cbor", &["cbor-x"]),
    ("node", "avro", &["avsc"]),
    ("node", "bson", &["bson"]),
    ("python", "json", &["json", "orjson", "msgspec"]),
    ("python", "msgpack", &["msgpack", "ormsgpack", "msgspec"]),
    ("python", "msgpack-array", &["msgpack", "ormsgpack", "msgspec"]),
    ("python", "protobuf", &["protobuf"]),
    ("python", "cbor", &["cbor2"]),
    ("python", "avro", &["fastavro"]),
    ("python", "bson", &["pymongo"]),
    ("rust", "json", &["serde_json", "sonic-rs", "manywire"]),
    ("rust", "msgpack", &["rmp-serde", "manywire"]),
    ("rust", "msgpack-array", &["rmp-serde", "manywire"]),
    ("rust", "protobuf", &["prost", "manywire"]),
    ("rust", "cbor", &["serde_cbor_2", "cbor2", "manywire"]),
    ("rust", "avro", &["apache-avro", "serde_avro_fast", "manywire"]),
    ("rust", "bson", &["bson", "manywire"]),
];

#[test]
fn common_libraries_are_measured_or_listed_as_failing() {
    let lanes = all();
    for (name, format, libraries) in LIBRARIES {
        let lane = lanes.iter().find(|lane| lane.name() == name);
        let lane = lane.unwrap_or_else(|| panic!("no lane {name}"));
        let format: Format = format.parse().expect("a format");
        for library in libraries {
            for target in [ValueKind::Dynamic, ValueKind::Typed] {
                let there = lane.subjects().iter().any(|subject| {
                    subject.library == *library
                        && subject.format == format
                        && subject.target == target
                });
                // A reason for this library, or one for all libraries.
                let excused = lane.known_failures().iter().any(|known| {
                    (known.missing || known.library.as_deref() == Some(*library))
                        && known.format == Some(format)
                        && known.target.is_none_or(|of| of == target)
                });
                assert!(
                    there || excused,
                    "{name}: {format} {target} by {library} is neither there nor in failing.txt"
                );
            }
        }
    }
}

/// Each reason names a library of the lane. A pair names a writer of any lane, or our own codecs.
#[test]
fn failing_lists_name_existing_libraries() {
    let lanes = all();
    for lane in &lanes {
        for known in lane.known_failures() {
            if let Some(writer) = &known.writer {
                let mut subjects = lanes.iter().flat_map(Lane::subjects);
                let has = subjects.any(|subject| {
                    let is_format = known.format.is_none_or(|format| format == subject.format);
                    subject.library == *writer && is_format
                });
                assert!(has || writer == "manywire", "{}: no writer {writer}", lane.name());
            }
            let Some(library) = &known.library else { continue };
            let has = lane.subjects().iter().any(|subject| subject.library == *library);
            assert!(has, "{}: failing.txt names {library}", lane.name());
        }
    }
}

/// A format that a lane of another language measures is in every lane, or its absence has a reason. A
/// format that only our own codecs have so far has no libraries to compare.
#[test]
fn unsupported_formats_are_listed_as_missing() {
    let lanes = all();
    let of_others = || lanes.iter().filter(|lane| lane.name() != "rust");
    let compared = |format: &Format| {
        of_others().any(|lane| lane.subjects().iter().any(|subject| subject.format == *format))
    };
    let formats: Vec<Format> = FORMATS.iter().map(|row| row.format).filter(compared).collect();
    assert!(formats.len() >= 7, "{formats:?}");
    for lane in &lanes {
        let subjects = lane.subjects();
        for &format in &formats {
            for target in [ValueKind::Dynamic, ValueKind::Typed] {
                let there = subjects
                    .iter()
                    .any(|subject| subject.format == format && subject.target == target);
                let excused = lane.known_failures().iter().any(|known| {
                    known.missing
                        && known.format.is_none_or(|of| of == format)
                        && known.target.is_none_or(|of| of == target)
                });
                let name = lane.name();
                assert!(there || excused, "{name}: {format} {target} is neither there nor missing");
                assert!(!(there && excused), "{name}: {format} {target} is there, strike it out");
            }
        }
    }
}

#[test]
fn every_lane_has_one_reference_per_value_kind() {
    for lane in all() {
        for target in [ValueKind::Dynamic, ValueKind::Typed] {
            let json: Vec<_> = lane
                .subjects()
                .into_iter()
                .filter(|subject| subject.format == Format::Json && subject.target == target)
                .collect();
            let references = json.iter().filter(|subject| subject.reference).count();
            assert!(references <= 1, "{}: {references} references", lane.name());
            let dynamic = target == ValueKind::Dynamic;
            assert!(!dynamic || references == 1, "{}: no reference", lane.name());
        }
    }
}

/// The lane takes the place of the built-in one, so it has every row of it, and ratios mean the same.
#[test]
fn the_rust_lane_has_the_subjects_and_the_reference_of_the_built_in_lane() {
    let built_in = built_in_lane(PathBuf::new(), &[]);
    let lanes = all();
    let rust = lanes.iter().find(|lane| lane.name() == built_in.lane().name());
    let subjects = rust.expect("a lane of Rust").subjects();
    for subject in built_in.lane().subjects() {
        assert!(subjects.contains(&subject), "{subject}");
    }
    let rust = |subject: &&Subject| subject.reference && subject.format == Format::Json;
    let libraries: BTreeSet<&str> =
        subjects.iter().filter(rust).map(|subject| subject.library.as_str()).collect();
    assert_eq!(libraries, BTreeSet::from(["manywire"]));
}

/// The Rust lane compiles the project's crates in a separate workspace, which must define the same
/// versions, lints and profile.
#[test]
fn rust_lane_manifest_matches_the_workspace() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| -> toml::Table {
        let path = root.join(path);
        let text = std::fs::read_to_string(&path).expect("a manifest");
        text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let (project, lane) = (read("Cargo.toml"), read("lanes/rust/Cargo.toml"));
    assert_eq!(lane["profile"]["release"], project["profile"]["release"]);
    let (project, lane) = (&project["workspace"], &lane["workspace"]);
    for table in ["package", "lints"] {
        assert_eq!(lane[table], project[table], "{table}");
    }
    let dependencies = lane["dependencies"].as_table().expect("a table");
    assert!(dependencies.len() > 10);
    for (name, dependency) in dependencies {
        assert_eq!(Some(dependency), project["dependencies"].get(name), "{name}");
    }
}

/// A new dependency of a crate that the Rust lane compiles must be added to the lane's lock file
/// too: `cargo update --workspace --manifest-path lanes/rust/Cargo.toml`.
#[test]
fn rust_lane_lock_file_has_our_dependencies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| -> BTreeMap<String, BTreeSet<String>> {
        let text = std::fs::read_to_string(root.join(path)).expect("a lock file");
        let lock: toml::Table = text.parse().expect("a lock file is TOML");
        let packages = lock["package"].as_array().expect("packages");
        let ours = packages.iter().filter(|package| package.get("source").is_none());
        ours.map(|package| {
            let names = package.get("dependencies").and_then(toml::Value::as_array);
            let names = names.into_iter().flatten().filter_map(toml::Value::as_str);
            // The version follows the name if a package has several versions.
            let names = names.filter_map(|name| name.split(' ').next()).map(str::to_owned);
            (package["name"].as_str().expect("text").to_owned(), names.collect())
        })
        .collect()
    };
    let (project, lane) = (read("Cargo.lock"), read("lanes/rust/Cargo.lock"));
    assert!(lane.len() > 5);
    for (name, dependencies) in lane.iter().filter(|(name, _)| *name != "manywire-lane-rust") {
        assert_eq!(Some(dependencies), project.get(name), "{name}");
    }
}
