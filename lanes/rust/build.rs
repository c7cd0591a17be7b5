//! Writes the versions of the measured libraries, and generates the prost messages of typed payloads.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The descriptors of typed payloads. Without this file, loading a typed subject
/// fails.
const DESCRIPTORS: &str = "typed/manywire.binpb";

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-changed=typed");
    println!("cargo::rustc-check-cfg=cfg(typed)");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    fs::write(out.join("versions.rs"), versions()).expect("the folder is ours");
    println!("cargo::rustc-env=LANE_COMPILER={}", compiler());
    if Path::new(DESCRIPTORS).is_file() {
        println!("cargo::rustc-cfg=typed");
        messages(&out);
    }
}

/// Returns the version of the compiler, such as `1.95.0`.
fn compiler() -> String {
    let compiler = env::var_os("RUSTC").expect("cargo says which");
    let output = Command::new(compiler).arg("--version").output().expect("it compiles this");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split(' ').nth(1).unwrap_or("of unknown version").to_owned()
}

/// Returns the source of an array with the version of each package in the lock file.
fn versions() -> String {
    let lock = fs::read_to_string("Cargo.lock").expect("a lock file fixes what is measured");
    let mut code = "&[\n".to_owned();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key))?;
            line.trim().strip_prefix("= \"")?.strip_suffix('"')
        };
        if let (Some(name), Some(version)) = (value("name"), value("version")) {
            code.push_str(&format!("    ({name:?}, {version:?}),\n"));
        }
    }
    code + "]"
}

/// Generates prost structs for the messages of the payloads, or a file with only a comment if there
/// are no messages. The structs implement `Serialize`, which only digests use.
fn messages(out: &Path) {
    let bytes = fs::read(DESCRIPTORS).expect("it is there");
    if !bytes.is_empty() {
        let set: prost_types::FileDescriptorSet =
            prost::Message::decode(bytes.as_slice()).expect("the orchestrator writes descriptors");
        let mut config = prost_build::Config::new();
        config.out_dir(out).include_file("messages.rs").compile_well_known_types();
        config.type_attribute(".", "#[derive(serde::Serialize)]");
        config.compile_fds(set).expect("descriptors that prost can write types for");
        return;
    }
    fs::write(out.join("messages.rs"), "// These payloads have no messages.\n")
        .expect("the folder is ours");
}
