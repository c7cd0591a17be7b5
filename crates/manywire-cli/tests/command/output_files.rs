//! The files that commands write: replaced whole or not at all, whatever ends the command.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use crate::lane_folder::Lanes;
use crate::run::{Folder, example, manywire};

const OLD: &str = "the old content";

/// A folder with inputs and one lane, for the commands of [`OUTPUTS`].
struct Setting {
    lanes: Lanes,
    folder: Folder,
}

impl Setting {
    fn new() -> Self {
        let setting = Setting { lanes: Lanes::new(), folder: Folder::new() };
        setting.lanes.add_python("one", "none");
        // The schema and the values take more than a block of 512 bytes.
        let value = |row: u32| {
            let field = |n: u32| format!("\"a_field_{n}\":{}", row * 7_919 * n % 10_007);
            format!("{{{}}}\n", (0..60).map(field).collect::<Vec<_>>().join(","))
        };
        let values: String = (0..1_000).map(value).collect();
        setting.folder.file("broken.ndjson", format!("{values}{{\"a\":]\n"));
        setting.folder.file("good.ndjson", values);
        setting
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.folder.path())
    }

    /// Runs a command after some words of a shell.
    fn shell(&self, before: &str, arguments: &[String]) -> (Option<i32>, String) {
        let output = Command::new("sh")
            .args(["-c", &format!("{before} exec \"$@\""), "sh"])
            .arg(env!("CARGO_BIN_EXE_manywire"))
            .args(arguments)
            .env("MANYWIRE_LANES", self.lanes.path())
            .env("MANYWIRE_CACHE", format!("{}/cache", self.lanes.path()))
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn run(&self, arguments: &[String]) -> (Option<i32>, String) {
        self.shell("", arguments)
    }

    /// Asserts that no temporary file is left.
    fn assert_clean(&self, context: &str) {
        for entry in fs::read_dir(self.folder.path()).expect("the folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(!name.starts_with('.'), "{context}: {name} is left over");
        }
    }
}

/// An output of a command: its name, and the arguments that write it to a file.
type OutputOf = (&'static str, fn(&Setting, &str) -> Vec<String>);

/// Every output that a command writes to a file.
const OUTPUTS: [OutputOf; 6] = [
    ("convert -o", |setting, target| {
        words(&["convert", &setting.path("good.ndjson"), "--to", "json", "-o", target])
    }),
    ("convert -o, compressed", |setting, target| {
        let input = setting.path("good.ndjson");
        words(&["convert", &input, "--to", "avro", "--coding", "zstd:1", "-o", target])
    }),
    ("convert --schema-out", |setting, target| {
        let input = setting.path("good.ndjson");
        words(&["convert", &input, "--to", "avro", "-o", "/dev/null", "--schema-out", target])
    }),
    ("weigh --json", |_, target| {
        words(&["weigh", &example("user.json"), "--sizes-only", "--json", target])
    }),
    ("trial --json", |_, target| trial_words("--json", target)),
    ("trial --html", |_, target| trial_words("--html", target)),
];

/// Returns the arguments of a trial whose report an option writes to a file.
fn trial_words(option: &str, target: &str) -> Vec<String> {
    let user = example("user.json");
    let mut arguments = words(&["trial", &user, "--quick", option, target]);
    arguments.extend(words(&["--lanes", "one", "--formats", "json", "--launches", "1"]));
    arguments
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Returns the outputs that can be written here: `trial` needs Python for its lane.
fn outputs() -> impl Iterator<Item = OutputOf> {
    let python = Command::new("python3").arg("--version").output().is_ok();
    OUTPUTS.into_iter().filter(move |(name, _)| python || !name.starts_with("trial"))
}

/// Returns the outputs without that of `trial`, which takes seconds and starts other programs.
fn quick_outputs() -> impl Iterator<Item = OutputOf> {
    OUTPUTS.into_iter().filter(|(name, _)| !name.starts_with("trial"))
}

#[test]
fn a_file_is_replaced_and_keeps_its_permissions_and_its_links() {
    let setting = Setting::new();
    for (name, arguments) in outputs() {
        let (target, link) = (setting.folder.file("target.avsc", OLD), setting.path("link.avsc"));
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("permissions");
        symlink("target.avsc", &link).expect("a link");
        let before = fs::metadata(&target).expect("the target");
        let (code, stderr) = setting.run(&arguments(&setting, &link));
        assert_eq!(code, Some(0), "{name}: {stderr}");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink(), "{name}");
        let after = fs::metadata(&target).expect("the target");
        assert_ne!(after.ino(), before.ino(), "{name}: the file was written in place");
        assert_eq!(after.mode() & 0o777, 0o640, "{name}");
        assert!(after.len() > 512, "{name}: {} bytes", after.len());
        setting.assert_clean(name);
        // A link to a file that does not exist creates it, and a new file has usual permissions.
        fs::remove_file(&target).expect("the target");
        let (code, stderr) = setting.shell("umask 027;", &arguments(&setting, &link));
        assert_eq!(code, Some(0), "{name}: {stderr}");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink(), "{name}");
        let made = fs::metadata(&target).expect("the target");
        assert_eq!(made.mode() & 0o777, 0o640, "{name}");
        fs::remove_file(&link).expect("the link");
    }
}

#[test]
fn an_output_that_cannot_be_completed_leaves_the_old_file() {
    let setting = Setting::new();
    for (name, arguments) in quick_outputs() {
        let target = setting.folder.file("target.avsc", OLD);
        // The largest file that the process may write is one block.
        let (code, stderr) =
            setting.shell("trap '' XFSZ; ulimit -f 1;", &arguments(&setting, &target));
        assert_eq!(code, Some(1), "{name}: {stderr}");
        let error = stderr.lines().find(|line| line.starts_with("error: "));
        assert!(error.is_some_and(|line| line.contains("target.avsc")), "{name}: {stderr}");
        assert_eq!(fs::read_to_string(&target).expect("the target"), OLD, "{name}");
        setting.assert_clean(name);
    }
}

#[test]
fn a_failure_in_the_middle_of_the_input_leaves_the_old_file() {
    let setting = Setting::new();
    let broken = setting.path("broken.ndjson");
    for (to, option) in
        [("json", "-o"), ("msgpack", "-o"), ("avro", "-o"), ("avro", "--schema-out")]
    {
        let target = setting.folder.file("target.avsc", OLD);
        let mut arguments = words(&["convert", &broken, "--to", to, option, &target]);
        if option != "-o" {
            arguments.extend(words(&["-o", "/dev/null"]));
        }
        let (code, stderr) = setting.run(&arguments);
        assert_eq!(code, Some(1), "{to} {option}: {stderr}");
        assert!(stderr.contains("broken.ndjson:1001:"), "{to} {option}: {stderr}");
        assert_eq!(fs::read_to_string(&target).expect("the target"), OLD, "{to} {option}");
        setting.assert_clean(to);
        // A target that does not exist is not created.
        fs::remove_file(&target).expect("the target");
        setting.run(&arguments);
        assert!(!Path::new(&target).exists(), "{to} {option}");
    }
}

/// Starts a conversion from standard input, and sends it some values.
fn converting(arguments: &[&str]) -> (Child, ChildStdin) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all("{\"a\":1}\n".repeat(20_000).as_bytes()).expect("the command reads");
    (child, stdin)
}

#[test]
fn an_interrupt_in_the_middle_leaves_the_old_file() {
    let setting = Setting::new();
    for options in [&["--to", "msgpack"][..], &["--to", "json", "--coding", "gzip"]] {
        let target = setting.folder.file("target.avsc", OLD);
        let (mut child, stdin) = converting(&[&["convert", "-o", &target][..], options].concat());
        // The temporary file shows that the command has begun to write.
        let begun = Instant::now();
        let hidden = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
        while !fs::read_dir(setting.folder.path()).expect("it").flatten().any(|it| hidden(&it)) {
            assert!(begun.elapsed() < Duration::from_secs(20), "no temporary file");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(fs::read_to_string(&target).expect("the target"), OLD, "{options:?}");
        let kill = format!("kill -INT -{}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
        // The command waits for input, which stays open.
        let status = child.wait().expect("the command ends");
        assert_eq!(status.code(), Some(130), "{options:?}");
        assert_eq!(fs::read_to_string(&target).expect("the target"), OLD, "{options:?}");
        setting.assert_clean("an interrupt");
        drop(stdin);
    }
}

/// Returns a folder in which nobody may create a file, not even root, or `None`.
fn locked_folder(setting: &Setting) -> Option<String> {
    let folder = setting.path("locked");
    fs::create_dir(&folder).expect("a folder");
    fs::write(format!("{folder}/target.avsc"), OLD).expect("a file");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).expect("permissions");
    let probe = format!("{folder}/probe");
    match fs::write(&probe, "") {
        Err(_) => Some(folder),
        Ok(()) => {
            eprintln!("skipped: this user may write everywhere");
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("permissions");
            None
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_before_the_work() {
    let setting = Setting::new();
    let locked = locked_folder(&setting);
    for (name, arguments) in outputs() {
        let begun = Instant::now();
        let mut targets = vec![
            (setting.path("no/such/target.avsc"), "there is no folder"),
            (setting.path("good.ndjson/target.avsc"), "Not a directory"),
            (setting.folder.path(), "this is a folder"),
        ];
        targets.extend(locked.as_ref().map(|it| (format!("{it}/target.avsc"), "its folder")));
        for (target, message) in targets {
            let (code, stderr) = setting.run(&arguments(&setting, &target));
            assert_eq!(code, Some(1), "{name}: {stderr}");
            assert!(stderr.starts_with("error: "), "{name}: {stderr}");
            assert!(stderr.contains(&target) && stderr.contains(message), "{name}: {stderr}");
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: it measured first");
    }
    if let Some(folder) = locked {
        let old = fs::read_to_string(format!("{folder}/target.avsc")).expect("the target");
        assert_eq!(old, OLD);
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
}

#[test]
fn the_input_can_be_the_target_of_a_conversion_but_not_of_a_report() {
    let folder = Folder::new();
    let file = folder.file("values.json", "{\"a\":1}\n{\"a\":2}");
    let run = manywire(&["convert", &file, "-o", &file, "--pretty"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let pretty = "{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}\n";
    assert_eq!(fs::read_to_string(&file).expect("the file"), pretty);
    // The schema is inferred in a first reading.
    let link = format!("{}/link.avro", folder.path());
    symlink(&file, &link).expect("a link");
    let run = manywire(&["convert", "--from", "json", &file, "-o", &link]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(fs::read(&file).expect("the file").starts_with(b"Obj\x01"));
    let broken = folder.file("broken.json", "[1]\n[");
    let run = manywire(&["convert", &broken, "-o", &broken, "--pretty"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&broken).expect("the file"), "[1]\n[");
    let payload = folder.file("payload.json", "[1]");
    let run = manywire(&["weigh", &payload, "--sizes-only", "--json", &payload]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("is one of the payloads"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&payload).expect("the file"), "[1]");
    let report = format!("{}/report", folder.path());
    for file in [&*report, "-"] {
        let run = manywire(&["weigh", &payload, "--sizes-only", "--json", file, "--html", file]);
        let message =
            format!("error: --json and --html: {file} can have one of the reports only\n");
        assert_eq!((run.code, &*run.stderr, &*run.stdout), (Some(2), &*message, ""));
    }
    assert!(!Path::new(&report).exists());
    let both = ["convert", &payload, "--to", "avro", "-o", &payload, "--schema-out", &payload];
    let run = manywire(&both);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("--schema-out"), "{}", run.stderr);
}

#[test]
fn pipes_devices_and_descriptors_are_written_directly() {
    let setting = Setting::new();
    for (name, arguments) in quick_outputs() {
        let (code, stderr) = setting.run(&arguments(&setting, "/dev/null"));
        let null = fs::metadata("/dev/null").expect("the device");
        assert!(null.file_type().is_char_device(), "{name}: the device was replaced");
        assert_eq!(code, Some(0), "{name}: {stderr}");
        let fifo = setting.path("fifo.avsc");
        assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
        let path = fifo.clone();
        let reader = std::thread::spawn(move || fs::read(path).expect("the pipe"));
        let (code, stderr) = setting.run(&arguments(&setting, &fifo));
        assert_eq!(code, Some(0), "{name}: {stderr}");
        assert!(reader.join().expect("a reader").len() > 512, "{name}");
        assert!(fs::metadata(&fifo).expect("the pipe").file_type().is_fifo(), "{name}");
        fs::remove_file(&fifo).expect("the pipe");
    }
    // A redirected standard output stays the same file, and is appended to.
    let log = setting.folder.file("log", OLD);
    let user = example("user.json");
    for target in ["/dev/stdout", "/dev/fd/1", "-"] {
        let size = fs::metadata(&log).expect("the file").len();
        let arguments = words(&["convert", &user, "--to", "json", "-o", target]);
        let (code, stderr) = setting.shell(&format!("exec >> '{log}';"), &arguments);
        assert_eq!(code, Some(0), "{target}: {stderr}");
        let text = fs::read_to_string(&log).expect("the file");
        assert!(text.starts_with(OLD) && text.len() as u64 > size, "{target}: {text}");
    }
    let arguments = words(&["convert", &user, "--to", "json", "-o", "/dev/fd/7"]);
    let (code, stderr) = setting.shell(&format!("exec 7>> '{log}';"), &arguments);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(fs::read_to_string(&log).expect("the file").matches("Homer").count(), 4);
}
