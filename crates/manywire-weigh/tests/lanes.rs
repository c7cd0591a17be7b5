//! What the folders of `lanes/` promise: every format in every language, or a reason why not.

use manywire_format::{FORMATS, Format};
use manywire_weigh::lanes::{self, Lane};
use manywire_weigh::subject::Target;

fn all() -> Vec<Lane> {
    lanes::all(None).expect("every lane has a manifest that can be read")
}

/// The libraries that each language must have: lane, format, library.
const LIBRARIES: [(&str, &str, &[&str]); 18] = [
    ("go", "json", &["encoding/json", "goccy/go-json"]),
    ("go", "msgpack", &["vmihailenco/msgpack", "tinylib/msgp"]),
    ("go", "protobuf", &["google.golang.org/protobuf", "planetscale/vtprotobuf"]),
    ("go", "cbor", &["fxamacker/cbor"]),
    ("go", "avro", &["hamba/avro"]),
    ("go", "bson", &["mongo-driver/bson"]),
    ("node", "json", &["JSON"]),
    ("node", "msgpack", &["msgpackr", "@msgpack/msgpack"]),
    ("node", "protobuf", &["protobufjs", "@bufbuild/protobuf"]),
    ("node", "cbor", &["cbor-x"]),
    ("node", "avro", &["avsc"]),
    ("node", "bson", &["bson"]),
    ("python", "json", &["json", "orjson", "msgspec"]),
    ("python", "msgpack", &["msgpack", "ormsgpack"]),
    ("python", "protobuf", &["protobuf"]),
    ("python", "cbor", &["cbor2"]),
    ("python", "avro", &["fastavro"]),
    ("python", "bson", &["pymongo"]),
];

#[test]
fn the_libraries_that_users_have_are_there() {
    let lanes = all();
    for (name, format, libraries) in LIBRARIES {
        let lane = lanes.iter().find(|lane| lane.name() == name);
        let lane = lane.unwrap_or_else(|| panic!("no lane {name}"));
        let format: Format = format.parse().expect("a format");
        for library in libraries {
            let found = lane
                .subjects()
                .iter()
                .any(|subject| subject.library == *library && subject.format == format);
            assert!(found, "{name}: no {format} by {library}");
        }
    }
}

#[test]
fn what_no_library_does_has_a_reason() {
    for lane in all() {
        let subjects = lane.subjects();
        for format in FORMATS.iter().map(|row| row.format) {
            for target in [Target::Dynamic, Target::Typed] {
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
fn every_lane_has_one_reference_a_target_that_has_json() {
    for lane in all() {
        for target in [Target::Dynamic, Target::Typed] {
            let json: Vec<_> = lane
                .subjects()
                .into_iter()
                .filter(|subject| subject.format == Format::Json && subject.target == target)
                .collect();
            let references = json.iter().filter(|subject| subject.reference).count();
            assert!(references <= 1, "{}: {references} references", lane.name());
            let dynamic = target == Target::Dynamic;
            assert!(!dynamic || references == 1, "{}: no reference", lane.name());
        }
    }
}

#[test]
fn an_installed_program_carries_what_the_checkout_has() {
    let carried = lanes::carried().expect("lanes");
    let names = |lanes: &[Lane]| -> Vec<String> {
        lanes.iter().map(|lane| lane.name().to_owned()).collect()
    };
    assert_eq!(names(&carried), names(&all()));
    for (carried, ours) in carried.iter().zip(all()) {
        // The same sources are built once, wherever they came from.
        assert_eq!(carried.fingerprint(), ours.fingerprint(), "{}", ours.name());
        assert_eq!(carried.subjects(), ours.subjects());
    }
}
