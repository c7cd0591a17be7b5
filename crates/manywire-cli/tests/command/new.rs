//! `manywire new`: the files of a crate, and the names that it refuses. `.ci/new` runs the crate's tests.

use std::fs;

use crate::run::manywire;

#[test]
fn a_crate_is_written_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("my-service");
    let run = manywire(&["new", target.to_str().expect("a path in UTF-8")]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
    assert!(run.stderr.contains("a service of three endpoints"), "{}", run.stderr);
    let read = |path: &str| fs::read_to_string(target.join(path)).expect(path);
    let manifest = read("Cargo.toml");
    assert!(manifest.contains("name = \"my-service\"\n"), "{manifest}");
    // The tests run in a checkout.
    assert!(manifest.contains("\nmanywire = { path = \""), "{manifest}");
    assert!(read("src/main.rs").contains("my_service::api()"));
    assert!(read("schema.proto").contains("message Note {"));
    for path in
        [".gitignore", ".dockerignore", "Dockerfile", "README.md", "src/lib.rs", "tests/service.rs"]
    {
        let text = read(path);
        for placeholder in ["{name}", "{crate}", "{dependency}"] {
            assert!(!text.contains(placeholder), "{path}: {text}");
        }
    }
    // A folder that is there is left alone.
    fs::write(target.join("src/lib.rs"), "// Changed.\n").expect("a file");
    let run = manywire(&["new", target.to_str().expect("a path in UTF-8")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("there is such a file or folder already"), "{}", run.stderr);
    assert_eq!(read("src/lib.rs"), "// Changed.\n");
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 1, "nothing else is left beside the crate");
}

#[test]
fn names_that_cargo_refuses_are_invalid_arguments() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
    for name in ["7up", "my service", "café", "-x"] {
        let run = manywire(&["new", "--", &path(name)]);
        assert_eq!(run.code, Some(2), "{name}");
        assert!(run.stderr.contains("invalid package name"), "{}", run.stderr);
    }
    let run = manywire(&["new", &path("async")]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("\"async\" is reserved"), "{}", run.stderr);
    let run = manywire(&["new", "/"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("name the service with --name"), "{}", run.stderr);
    let run = manywire(&["new", &path("7up"), "--name", "seven-up"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = manywire(&["new", &path("no/such/folder")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no/such/folder: there is no folder "), "{}", run.stderr);
    assert!(run.stderr.ends_with("no/such\n"), "{}", run.stderr);
}
