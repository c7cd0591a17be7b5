//! Folders of test lanes, each with a manifest and one script.

use crate::run::{Folder, Run, manywire_in, manywire_with};

/// The toolchain of lanes that are a Python script, as a manifest names it.
pub(crate) const PYTHON: &str = r#"[[toolchain]]
program = "python3"
version = ["--version"]
minimum = "3"
how = "install Python 3"
"#;

/// A folder of lanes with a separate cache.
pub(crate) struct Lanes {
    folder: Folder,
}

impl Lanes {
    pub(crate) fn new() -> Self {
        Lanes { folder: Folder::new() }
    }

    pub(crate) fn path(&self) -> String {
        self.folder.path()
    }

    /// Adds a lane with its script and the rest of its manifest.
    pub(crate) fn add(&self, name: &str, manifest: &str, script: (&str, &str)) {
        let folder = format!("{}/{name}", self.path());
        std::fs::create_dir_all(&folder).expect("a folder");
        let manifest = format!("name = \"{name}\"\ntitle = \"{name}\"\nwarm_up_ms = 1\n{manifest}");
        std::fs::write(format!("{folder}/lane.toml"), manifest).expect("a file");
        std::fs::write(format!("{folder}/{}", script.0), script.1).expect("a file");
    }

    /// Adds a shell script as a lane with one library, `x`, for JSON.
    pub(crate) fn add_shell(&self, name: &str, tool: &str, build: &str, script: &str) {
        self.add_shell_with(name, tool, build, script, "");
    }

    /// Adds the same lane with additions to its manifest.
    pub(crate) fn add_shell_with(
        &self,
        name: &str,
        tool: &str,
        build: &str,
        script: &str,
        more: &str,
    ) {
        // The limit is short only for a script that hangs, as below.
        let limit = if script.ends_with("sleep 60") { 2 } else { 30 };
        let manifest = shell_manifest(tool, build);
        self.add(name, &format!("answer_limit_s = {limit}\n{manifest}{more}"), ("lane.sh", script));
    }

    /// Adds a lane that is only built, with settings before the tables of its manifest.
    pub(crate) fn add_build(&self, name: &str, settings: &str, build: &str) {
        let manifest = shell_manifest("sh", build);
        self.add(name, &format!("{settings}\n{manifest}"), ("lane.sh", "exit 0"));
    }

    /// Adds a Python lane with an HTTP server, an HTTP client and a fault.
    pub(crate) fn add_python(&self, name: &str, fault: &str) {
        self.add_python_with_servers(name, fault, &[]);
    }

    /// Adds the same lane with further servers, each with a name and a fault. A server `zeromq` is reached over
    /// ZeroMQ.
    pub(crate) fn add_python_with_servers(
        &self,
        name: &str,
        fault: &str,
        servers: &[(&str, &str)],
    ) {
        // The limit is short only for a client that hangs. A busy machine takes seconds to start an
        // interpreter.
        let limit = if fault == "hangs asking" { 3 } else { 30 };
        let manifest = format!(
            r#"answer_limit_s = {limit}
run = ["python3", "lane.py", "{name}", "{fault}"]
{PYTHON}[[subject]]
library = "json"
formats = ["json"]
targets = ["dynamic"]
reference = true
[[subject]]
library = "flat"
formats = ["protobuf"]
targets = ["dynamic"]
"#
        );
        let servers = servers.iter().map(|(server, fault)| {
            let transport = match *server {
                "zeromq" => "transport = \"zeromq\"\n",
                _ => "",
            };
            format!(
                "[[server]]\nname = \"{server}\"\n{transport}run = [\"python3\", \"lane.py\", \"{name}\", \"{fault}\"]\n"
            )
        });
        let manifest = manifest + &servers.collect::<String>();
        self.add(name, &manifest, ("lane.py", include_str!("trial_lane.py")));
    }

    /// Runs the command with only these lanes.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, &[])
    }

    /// Runs the command with these lanes and environment variables.
    pub(crate) fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
        let own = self.environment();
        let own = own.each_ref().map(|(name, value)| (*name, value.as_str()));
        manywire_with(arguments, &[&own[..], environment].concat())
    }

    /// Runs the command with only these lanes, in a folder.
    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> Run {
        let own = self.environment();
        manywire_in(folder, arguments, &own.each_ref().map(|(name, value)| (*name, value.as_str())))
    }

    fn environment(&self) -> [(&'static str, String); 2] {
        let folder = self.path();
        let cache = format!("{folder}/cache");
        [("MANYWIRE_LANES", folder), ("MANYWIRE_CACHE", cache)]
    }
}

/// Returns the manifest of a shell script with one library, `x`, for JSON.
fn shell_manifest(tool: &str, build: &str) -> String {
    format!(
        r#"build = [["sh", "-c", "{build}"]]
run = ["sh", "lane.sh"]
[[toolchain]]
program = "{tool}"
version = ["-c", "echo 1.0"]
minimum = "1"
how = "install a shell"
[[subject]]
library = "x"
formats = ["json"]
targets = ["dynamic"]
reference = true
"#
    )
}
