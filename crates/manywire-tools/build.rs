//! Notes the compiler's version for reports, and packs the lanes' sources, so that an installed
//! program carries them.

use std::fmt::Write;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Build outputs in a lane's folder, and the files that keep them out of git.
const LEFT_BEHIND: [&str; 7] =
    ["node_modules", "target", "venv", "bin", "__pycache__", ".git", ".gitignore"];

fn main() -> io::Result<()> {
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(compiler).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=MANYWIRE_RUSTC={}", version.as_deref().unwrap_or("unknown").trim());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=lanes");
    println!("cargo::rerun-if-changed=packed");
    pack()
}

/// A manifest as it is called in `packed/`: a package cannot hold folders with a `Cargo.toml`, so
/// lanes that have one are there a second time, by links and under this name.
const PACKED: &str = "Cargo.toml.packed";

/// Writes `carried.rs`: the name of each lane, and its files by path.
fn pack() -> io::Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let (lanes, packed) = (here.join("lanes"), here.join("packed"));
    let mut code = String::from("static CARRIED: &[CarriedLane] = &[\n");
    let mut folders = lanes_in(&lanes)?;
    // In a checkout they are where they belong.
    let absent =
        |folder: &PathBuf| folder.file_name().is_some_and(|name| !lanes.join(name).exists());
    folders.extend(lanes_in(&packed)?.into_iter().filter(absent));
    folders.sort_by(|left, right| left.file_name().cmp(&right.file_name()));
    for folder in &folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut files = Vec::new();
        collect(folder, &mut files)?;
        files.sort();
        writeln!(code, "    ({name:?}, &[").expect("a String takes everything");
        for file in files {
            let path = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy();
            let path = path.replace(MAIN_SEPARATOR, "/").replace(PACKED, "Cargo.toml");
            let whole = file.to_string_lossy();
            writeln!(code, "        ({path:?}, include_bytes!({whole:?}).as_slice()),")
                .expect("a String takes everything");
        }
        code.push_str("    ]),\n");
    }
    code.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("carried.rs"), code)
}

fn lanes_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    folders.retain(|folder| folder.join("lane.toml").is_file());
    Ok(folders)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let left_behind = LEFT_BEHIND.iter().any(|name| entry.file_name() == *name);
        // A link is what it leads to: a lane has other sources of this project by links.
        let kind = fs::metadata(entry.path())?;
        if left_behind {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}
