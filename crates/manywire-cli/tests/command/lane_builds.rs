//! Builds of lanes: when they are needed, their inputs, and their cache.

use crate::lane_folder::Lanes;
use crate::lanes::{describe, describe_with, frame, note, weigh};

/// Returns the names of the builds in the cache.
fn builds(lanes: &Lanes) -> Vec<String> {
    let cache = format!("{}/cache/lanes", lanes.path());
    let entries = std::fs::read_dir(cache).expect("a cache").map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.file_type().expect("a kind").is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

#[test]
fn sources_keep_their_modification_time() {
    let lanes = Lanes::new();
    let build = |script: &str| {
        lanes.add_shell("one", "sh", "true", script);
        lanes.run(&["lanes", "clean", "--all"]);
        assert_eq!(lanes.run(&["lanes", "build"]).code, Some(0));
        let folder = format!("{}/cache/lanes/{}", lanes.path(), builds(&lanes)[0]);
        let time = |name: &str| {
            let metadata = std::fs::metadata(format!("{folder}/{name}")).expect("a file");
            metadata.modified().expect("a time")
        };
        assert_eq!(time("lane.sh"), time("lane.toml"));
        time("lane.sh")
    };
    let first = build("exit 0");
    // Unchanged sources keep their time, so tools do not rebuild their outputs.
    assert_eq!(build("exit 0"), first);
    // Changed sources are newer than the first ones. When the first sources are restored, their
    // time is newer than that of the changed ones.
    let others = build("exit 1");
    assert!(others > first);
    assert!(build("exit 0") > others);
}

#[test]
fn builds_of_changed_sources_are_cleaned_away() {
    let lanes = Lanes::new();
    lanes.add_shell("one", "sh", "true", "exit 0");
    assert_eq!(lanes.run(&["lanes", "clean"]).stdout, "0 builds removed, 0 MB\n");
    assert_eq!(lanes.run(&["lanes", "build"]).code, Some(0));
    let old = builds(&lanes);
    assert_eq!(lanes.run(&["lanes", "clean"]).stdout, "0 builds removed, 0 MB\n");
    lanes.add_shell("one", "sh", "true", "exit 1");
    assert_eq!(lanes.run(&["lanes", "build"]).code, Some(0));
    assert_eq!(builds(&lanes).len(), 2);
    assert_eq!(lanes.run(&["lanes", "clean"]).stdout, "1 build removed, 1 MB\n");
    let left = builds(&lanes);
    assert!(left.len() == 1 && left != old, "{left:?}");
    // A build without its mark is incomplete and is removed.
    std::fs::remove_file(format!("{}/cache/lanes/{}/.manywire-built", lanes.path(), left[0]))
        .expect("its mark");
    assert_eq!(lanes.run(&["lanes", "clean"]).stdout, "1 build removed, 1 MB\n");
    assert_eq!(lanes.run(&["lanes", "build"]).code, Some(0));
    let shared = format!("{}/cache/lanes/one-target", lanes.path());
    std::fs::create_dir(&shared).expect("a folder that builds share");
    assert_eq!(lanes.run(&["lanes", "clean"]).stdout, "0 builds removed, 0 MB\n");
    assert_eq!(lanes.run(&["lanes", "clean", "--all"]).stdout, "1 build removed, 1 MB\n");
    assert!(builds(&lanes).is_empty());
}

#[test]
fn damaged_builds_are_made_again() {
    let lanes = Lanes::new();
    lanes.add_shell("one", "sh", "echo library > library", "exit 0");
    let build = || {
        let run = lanes.run(&["lanes", "build"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stderr
    };
    assert_eq!(build(), "");
    assert_eq!(build(), "", "an intact build is used again");
    let library = format!("{}/cache/lanes/{}/library", lanes.path(), builds(&lanes)[0]);
    for (damage, expected) in [
        (Some("librar\0"), "library has changed since it was built"),
        (Some(""), "library has changed since it was built"),
        (None, "library is missing or cannot be read"),
    ] {
        match damage {
            Some(content) => std::fs::write(&library, content).expect("a file"),
            None => std::fs::remove_file(&library).expect("it was there"),
        }
        assert_eq!(build(), format!("note: lane one: {expected}; the lane is built again\n"));
        assert_eq!(std::fs::read_to_string(&library).expect("the library"), "library\n");
        assert_eq!(build(), "");
    }
}

#[test]
fn the_cache_keeps_recently_used_builds() {
    let lanes = Lanes::new();
    let days =
        |days: u64| std::time::SystemTime::now() - std::time::Duration::from_secs(days * 86_400);
    for number in 0..10 {
        lanes.add_shell("one", "sh", "true", &format!("exit {number}"));
        assert_eq!(lanes.run(&["lanes", "build"]).code, Some(0));
        // All builds but the last two were used days ago, the first of them more recently than the
        // others.
        if number < 8 {
            let used = if number == 0 { days(2) } else { days(20 - number) };
            for name in builds(&lanes) {
                let mark = format!("{}/cache/lanes/{name}/.manywire-built", lanes.path());
                let mark = std::fs::File::options().write(true).open(mark).expect("its mark");
                let known = mark.metadata().and_then(|it| it.modified()).expect("a time");
                if known > days(1) {
                    mark.set_modified(used).expect("another time");
                }
            }
        }
    }
    assert_eq!(builds(&lanes).len(), 6);
    // A reused build counts as recently used, so the oldest build is removed instead.
    lanes.add_shell("one", "sh", "true", "exit 0");
    let before = builds(&lanes);
    assert_eq!(lanes.run(&["lanes", "build"]).code, Some(0));
    assert_eq!(builds(&lanes), before, "the first build was still there");
}

/// Adds a lane with an untyped and a typed build, which writes `how` and then runs a script. The
/// lane refuses every payload.
fn add_typed(lanes: &Lanes, typed_build: &str) {
    let typed = format!(
        r#"[typed]
language = "go"
build = [["sh", "-c", "echo typed > how; {typed_build}"]]
[[typed.file]]
path = "types.go"
content = "types"
"#
    );
    let (schema, load) = (frame(r#"{"ok":{}}"#), frame(r#"{"error":"no room"}"#));
    let script = format!("{}; {schema}; {load}; cat > /dev/null", describe("one"));
    lanes.add_shell_with("one", "sh", "echo plain > how", &script, &typed);
}

/// Returns the markers that the builds in the cache have written.
fn kinds(lanes: &Lanes) -> Vec<String> {
    let how = |name| std::fs::read_to_string(format!("{}/cache/lanes/{name}/how", lanes.path()));
    let kinds = builds(lanes).into_iter().map(|name| how(name).expect("what the build wrote"));
    let mut kinds: Vec<String> = kinds.map(|kind| kind.trim().to_owned()).collect();
    kinds.sort();
    kinds
}

#[test]
fn typed_payloads_need_no_untyped_build() {
    let lanes = Lanes::new();
    add_typed(&lanes, "grep -q struct types.go");
    let run = weigh(&lanes, "one");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(kinds(&lanes), ["typed"]);
    // The untyped build of the lane measures values that have no types.
    let wide = format!("{}/wide.json", lanes.path());
    std::fs::write(&wide, "[-1, 18446744073709551615]").expect("a file");
    let run = lanes.run(&["weigh", &wide, "--sizes-only", "--lanes", "one"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(kinds(&lanes), ["plain", "typed"]);
}

#[test]
fn a_failing_typed_build_leaves_the_untyped_lane() {
    let lanes = Lanes::new();
    add_typed(&lanes, "echo out of types >&2; exit 3");
    let run = weigh(&lanes, "one");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(note(&run, "one")["status"], "ok");
    assert!(kinds(&lanes).contains(&"plain".to_owned()));
}

/// Returns the arguments that weigh a document in the lane `one`.
fn weigh_one<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["weigh", file, "--formats", "json", "--sizes-only", "--lanes", "one"][..], more].concat()
}

/// Values of several kinds in one place are an `any` in Go, so the types are built.
#[test]
fn unions_have_a_typed_build() {
    let lanes = Lanes::new();
    add_typed(&lanes, "grep -q any types.go");
    let mixed = format!("{}/mixed.json", lanes.path());
    std::fs::write(&mixed, r#"[{"a": 1}, {"a": "x"}, {"a": [-1, 18446744073709551615]}]"#)
        .expect("a file");
    let run = lanes.run(&weigh_one(&mixed, &[]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(kinds(&lanes), ["typed"]);
}

/// Generated code that does not compile is a fault of this program, in one line; the words of the
/// compiler are in the tables of `--verbose`.
#[test]
fn code_that_does_not_compile_is_reported_in_one_line() {
    let manifest = r#"[[subject]]
library = "y"
formats = ["json"]
targets = ["typed"]
[typed]
language = "go"
build = [["sh", "-c", "echo types.go:3: undefined >&2; exit 1"]]
[[typed.file]]
path = "types.go"
content = "types"
"#;
    // A lane that compiles the code itself says so in an answer.
    let uncompiled = frame(r#"{"uncompiled":"types.go:3: undefined"}"#);
    let (schema, load) = (frame(r#"{"ok":{}}"#), frame(r#"{"error":"no room"}"#));
    let more = r#",{"library":"y","version":"1","format":"json","target":"typed"}"#;
    let described = describe_with("one", more);
    let by_build = format!("{described}; {schema}; {load}; cat > /dev/null");
    let by_answer = format!("{described}; {schema}; {load}; {uncompiled}; cat > /dev/null");
    let own = manifest.split_once("[typed]").expect("types").0;
    for (script, manifest) in [(by_build, manifest), (by_answer, own)] {
        let lanes = Lanes::new();
        lanes.add_shell_with("one", "sh", "true", &script, manifest);
        let file = crate::run::example("user.json");
        let run = lanes.run(&weigh_one(&file, &[]));
        assert_eq!(run.code, Some(4), "{}\n{}", run.stderr, run.stdout);
        let line = "json by y, typed: manywire generated code that does not compile";
        assert!(run.stdout.contains(line), "{}", run.stdout);
        assert!(!run.stdout.contains("undefined"), "{}", run.stdout);
        let run = lanes.run(&weigh_one(&file, &["--verbose"]));
        assert!(run.stdout.contains("types.go:3: undefined"), "{}", run.stdout);
        let run = lanes.run(&["lanes", "check", &file]);
        assert_eq!(run.code, Some(4), "{}\n{}", run.stderr, run.stdout);
        let line = "  one y json typed: manywire generated code that does not compile: please";
        assert!(run.stdout.contains(line), "{}", run.stdout);
        assert!(!run.stdout.contains("undefined"), "{}", run.stdout);
        let run = lanes.run(&["lanes", "check", &file, "--verbose"]);
        assert!(run.stdout.contains("types.go:3: undefined"), "{}", run.stdout);
    }
}

#[test]
fn lanes_are_built_in_parallel() {
    let lanes = Lanes::new();
    // Each build waits until the other has started.
    for (name, other) in [("one", "two"), ("two", "one")] {
        let (here, there) =
            (format!("{}/{name}", lanes.path()), format!("{}/{other}", lanes.path()));
        let waits = format!(
            "touch {here}.begun; for i in $(seq 100); do [ -e {there}.begun ] && exit; sleep 0.1; \
             done; exit 1"
        );
        lanes.add_shell(name, "sh", &waits, "exit 0");
    }
    let built = lanes.run(&["lanes", "build"]);
    assert_eq!(built.stdout, "one: built\ntwo: built\n", "{}", built.stderr);
    assert_eq!(built.code, Some(0));
}

#[test]
fn build_takes_lanes_by_comma_or_space() {
    let lanes = Lanes::new();
    for name in ["one", "two", "three"] {
        lanes.add_shell(name, "sh", "true", "exit 0");
    }
    for words in [&["one,two"][..], &["one", "two"]] {
        let built = lanes.run(&[&["lanes", "build"], words].concat());
        assert_eq!(built.stdout, "one: built\ntwo: built\n", "{words:?}: {}", built.stderr);
        assert_eq!(built.code, Some(0));
    }
    let all = lanes.run(&["lanes", "build", "all"]);
    assert_eq!(all.stdout.lines().count(), 3, "{}", all.stdout);
    let four = lanes.run(&["lanes", "build", "one,four"]);
    assert_eq!(four.code, Some(2), "{}", four.stdout);
    assert!(four.stderr.contains("no lane \"four\"; there are one, three, two"), "{}", four.stderr);
}

/// The build may be idle for three seconds, which a busy machine does not add to a sleep of half a second.
const IMPATIENT: &str = "build_idle_limit_s = 3";

#[test]
fn a_build_is_limited_by_its_progress() {
    let lanes = Lanes::new();
    lanes.add_build("one", IMPATIENT, "sleep 100");
    let start = std::time::Instant::now();
    let idle = lanes.run(&["lanes", "build"]);
    assert_eq!(idle.code, Some(5), "{}", idle.stdout);
    let expected = "no progress for 3s: neither output nor use of the processor";
    assert!(idle.stdout.contains(expected), "{}", idle.stdout);
    assert!(start.elapsed() < std::time::Duration::from_secs(50));
    // Each takes longer than the limit: one prints, and the other computes.
    for build in [
        "for i in $(seq 10); do echo $i; sleep 0.5; done",
        "end=$(($(date +%s) + 5)); while [ $(date +%s) -lt $end ]; do :; done",
    ] {
        lanes.add_build("one", IMPATIENT, build);
        let built = lanes.run(&["lanes", "build"]);
        assert_eq!(built.stdout, "one: built\n", "{build}: {}", built.stderr);
    }
}

#[test]
fn all_includes_a_lane_that_is_built_by_name_only_once_it_is_built() {
    let lanes = Lanes::new();
    lanes.add_shell("one", "sh", "true", "exit 0");
    lanes.add_build("large", "by_name = true", "true");
    let built = lanes.run(&["lanes", "build"]);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let left_out = "large: skipped: part of `all` only after `manywire lanes build NAME`";
    assert!(built.stdout.contains("one: built\n"), "{}", built.stdout);
    assert!(built.stdout.contains(left_out), "{}", built.stdout);
    let listed = lanes.run(&["lanes"]).stdout;
    assert!(listed.contains("or `--lanes large`; `all` includes it from then on"), "{listed}");
    assert_eq!(lanes.run(&["lanes", "build", "large"]).stdout, "large: built\n");
    assert_eq!(lanes.run(&["lanes", "build"]).stdout, "large: built\none: built\n");
}

/// The signals of the system and of a terminal that closes.
const SIGNALS: [&str; 2] = ["TERM", "HUP"];

#[test]
fn a_terminated_command_ends_its_builds() {
    for signal in SIGNALS {
        let lanes = Lanes::new();
        let process = format!("{}/process", lanes.path());
        lanes.add_shell("one", "sh", &format!("echo $$ > {process}; exec sleep 600"), "exit 0");
        assert_terminates(&lanes, &process, signal, &["lanes", "build"]);
    }
}

#[test]
fn a_terminated_command_ends_its_lanes() {
    let user = crate::run::example("user.json");
    for (signal, is_built, arguments) in [
        ("TERM", false, &["lanes", "check", &user][..]),
        ("TERM", true, &["lanes", "check", &user]),
        ("HUP", true, &["weigh", &user, "--sizes-only", "--lanes", "one"]),
        ("HUP", true, &["trial", &user, "--lanes", "one"]),
    ] {
        let lanes = Lanes::new();
        let process = format!("{}/process", lanes.path());
        let waits = format!("echo $$ > {process}; exec sleep 600");
        let (build, script) = if is_built { ("true", &*waits) } else { (&*waits, "exit 0") };
        lanes.add_shell("one", "sh", build, script);
        assert_terminates(&lanes, &process, signal, arguments);
    }
}

/// Starts a command, and sends it a signal when a process has written its number to the file
/// `process`. Both must end.
fn assert_terminates(lanes: &Lanes, process: &str, signal: &str, arguments: &[&str]) {
    let (folder, cache) = (lanes.path(), format!("{}/cache", lanes.path()));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(arguments)
        .envs([("MANYWIRE_LANES", &folder), ("MANYWIRE_CACHE", &cache)])
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the command");
    let wait_for = |is_met: &mut dyn FnMut() -> bool| {
        let start = std::time::Instant::now();
        while !is_met() {
            assert!(start.elapsed() < std::time::Duration::from_secs(60), "waited for a minute");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    let mut build = String::new();
    wait_for(&mut || {
        build = std::fs::read_to_string(process).unwrap_or_default();
        build.ends_with('\n')
    });
    let number = command.id().to_string();
    let terminate = std::process::Command::new("kill").args(["-s", signal, &number]).status();
    assert!(terminate.expect("kill").success());
    assert_eq!(command.wait().expect("its end").code(), Some(130), "{signal}: {arguments:?}");
    let build = format!("/proc/{}", build.trim());
    wait_for(&mut || !std::path::Path::new(&build).exists());
}
