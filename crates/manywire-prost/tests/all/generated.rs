//! Checks that the generated messages are the unchanged output of prost-build. `MANYWIRE_BLESS=1`
//! regenerates them.

use std::path::{Path, PathBuf};

use prost::Message as _;
use prost_types::FileDescriptorSet;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Compiles the `.proto` files with prost-build, as a build script does.
fn generate(into: &Path) {
    let mut compiler = protox::Compiler::new([tests().join("proto")]).expect("a folder");
    compiler.include_imports(true).include_source_info(true);
    compiler.open_file("hotels/v1/hotels.proto").expect("a .proto that compiles");
    let set = compiler.encode_file_descriptor_set();
    std::fs::write(into.join("descriptors.bin"), &set).expect("a file");
    let set = FileDescriptorSet::decode(&*set).expect("a set");
    prost_build::Config::new()
        .out_dir(into)
        .type_attribute(".common", "#[derive(serde::Serialize, serde::Deserialize)]")
        .type_attribute(".hotels", "#[derive(serde::Serialize, serde::Deserialize)]")
        .field_attribute("hotels.v1.Hotel.opened", "#[serde(skip)]")
        .compile_fds(set)
        .expect("code");
}

#[test]
fn generated_messages_are_current() {
    let kept = tests().join("generated");
    if std::env::var_os("MANYWIRE_BLESS").is_some() {
        generate(&kept);
    }
    let fresh = std::env::temp_dir().join(format!("manywire-prost-{}", std::process::id()));
    std::fs::create_dir_all(&fresh).expect("a folder");
    generate(&fresh);
    for name in ["common.rs", "hotels.v1.rs", "descriptors.bin"] {
        let [kept, fresh] = [&kept, &fresh].map(|folder| std::fs::read(folder.join(name)));
        let is_same = kept.expect(name) == fresh.expect(name);
        assert!(is_same, "{name} is not what is generated: run with MANYWIRE_BLESS=1");
    }
    std::fs::remove_dir_all(fresh).expect("a folder of ours");
}
