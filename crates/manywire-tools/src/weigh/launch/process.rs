//! What differs between systems in starting and ending a process.

use std::process::{Child, Command, ExitStatus};

/// Keeps the terminal's interrupt from a worker, so that whether a measurement is thrown away is
/// decided in one place: the orchestrator's.
#[cfg(unix)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Keeps the console's interrupt from a worker.
#[cfg(windows)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

#[cfg(not(any(unix, windows)))]
pub(crate) fn detach(_: &mut Command) {}

/// Ends a worker, what it started too, and leaves no zombie.
pub(crate) fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // It may be gone already, which is what was wanted.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    drop(child.kill());
    drop(child.wait());
}

#[cfg(unix)]
pub(crate) fn exit_text(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => status.to_string(),
    }
}

#[cfg(not(unix))]
pub(crate) fn exit_text(status: ExitStatus) -> String {
    status.to_string()
}
