//! Notes the compiler's version, and the versions of the libraries measured beside ours, for
//! reports.

use std::process::Command;

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(compiler).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=MANYWIRE_RUSTC={}", version.as_deref().unwrap_or("unknown").trim());
    println!("cargo::rerun-if-changed=build.rs");
}
