use std::fs;
use std::path::{Path, PathBuf};

use crate::matter::Matter;

/// A change of one file of a lane's copy: what stands there once, and what takes its place.
pub(crate) struct Edit {
    /// The file, by its path in the lane's folder.
    pub(crate) file: &'static str,
    /// What it holds.
    pub(crate) from: &'static str,
    /// What it is to hold instead.
    pub(crate) to: &'static str,
}

/// What builds leave behind in a lane's folder.
const LEFT_BEHIND: [&str; 4] = ["bin", "node_modules", "target", "venv"];

/// A folder of lanes with one in it: a copy of the lane with a harness beside its sources, so that
/// one build makes both. The same function in two programs stands at two addresses, and loops
/// run a few percent faster or slower for that, in every process alike: a difference that no
/// number of processes removes, and that is none of measuring.
///
/// # Errors
/// A file that cannot be read or written, or that does not hold what an edit replaces.
pub(crate) fn beside(matter: &Matter, edits: &[Edit]) -> Result<PathBuf, String> {
    let lanes = matter.work.join("lanes");
    let folder = lanes.join(matter.lane);
    drop(fs::remove_dir_all(&lanes));
    copy(&matter.root.join("lanes").join(matter.lane), &folder)?;
    copy(&matter.root.join("benches/harness").join(matter.lane), &folder)?;
    for edit in edits {
        let path = folder.join(edit.file);
        let failed = |why: &str| format!("lanes/{}/{}: {why}", matter.lane, edit.file);
        let text = fs::read_to_string(&path).map_err(|error| failed(&error.to_string()))?;
        let times = text.matches(edit.from).count();
        if times != 1 {
            let from = edit.from;
            return Err(failed(&format!("expected {from:?} once, for the harness, found {times}")));
        }
        let text = text.replace(edit.from, edit.to);
        fs::write(&path, text).map_err(|error| failed(&error.to_string()))?;
    }
    Ok(lanes)
}

/// A folder and all that is in it, at another place; a link as what it leads to.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if LEFT_BEHIND.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if fs::metadata(&path).map_err(failed)?.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(&path, target).map_err(failed)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theirs;

    /// Whoever changes a lane's files need not know of the edits: this tells.
    #[test]
    fn edits_fit_the_lanes() {
        for lane in ["go", "rust"] {
            let work = std::env::temp_dir().join(format!("harness-{lane}-{}", std::process::id()));
            let matter = Matter { work: work.clone(), ..Matter::of(lane).unwrap() };
            let lanes = beside(&matter, theirs::edits(lane)).unwrap();
            let found = manywire_tools::weigh::lanes::all(Some(&lanes)).unwrap();
            assert_eq!(found.iter().map(|lane| lane.name()).collect::<Vec<_>>(), [lane]);
            std::fs::remove_dir_all(&work).unwrap();
        }
    }

    #[test]
    fn an_edit_that_fits_nowhere_says_so() {
        let work = std::env::temp_dir().join(format!("harness-none-{}", std::process::id()));
        let matter = Matter { work: work.clone(), ..Matter::of("go").unwrap() };
        let edit = Edit { file: "go.mod", from: "module nothing\n", to: "" };
        let failure = beside(&matter, &[edit]).unwrap_err();
        assert!(failure.contains("go.mod: expected"), "{failure}");
        std::fs::remove_dir_all(&work).unwrap();
    }
}
