//! A copy of a lane's folder with a harness in it, for lanes that are compiled to one program.

use std::fs;
use std::path::{Path, PathBuf};

/// A replacement in one file of a lane's copy.
pub(crate) struct Edit {
    /// The path of the file in the lane's folder.
    pub(crate) file: &'static str,
    /// The text to replace, which must occur once.
    pub(crate) from: &'static str,
    /// The new text.
    pub(crate) to: &'static str,
}

/// The build folders of lanes, which are not copied.
const BUILD_FOLDERS: [&str; 4] = ["bin", "node_modules", "target", "venv"];

/// Copies a lane into the folder `work`, with the files of `added` beside its sources, if there are any.
/// Returns the folder of the copied lanes.
///
/// A harness is added so that one build produces one program with lane and harness. In two
/// programs, the same function has different addresses, and therefore its loops run a few percent
/// faster or slower in every process of one program. More processes do not remove this difference,
/// which does not come from the method of measurement.
///
/// # Errors
/// Returns an error if a file cannot be read or written, or does not contain the text to replace.
pub(crate) fn copy_with_edits(
    lane: &str,
    root: &Path,
    work: &Path,
    added: &Path,
    edits: &[Edit],
) -> Result<PathBuf, String> {
    let lanes = work.join("lanes");
    let folder = lanes.join(lane);
    drop(fs::remove_dir_all(&lanes));
    copy(&root.join("lanes").join(lane), &folder)?;
    if added.is_dir() {
        copy(added, &folder)?;
    }
    for edit in edits {
        let path = folder.join(edit.file);
        let failed = |why: &str| format!("lanes/{lane}/{}: {why}", edit.file);
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

/// Copies a folder with all its content. A link becomes a copy of its target.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if BUILD_FOLDERS.iter().any(|name| entry.file_name() == *name) {
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
    use crate::comparison::Comparison;
    use crate::harnesses;

    /// The edits must still apply after a change of the lane's files.
    #[test]
    fn edits_apply_to_the_lanes() {
        for lane in ["go", "rust"] {
            let work = std::env::temp_dir().join(format!("harness-{lane}-{}", std::process::id()));
            let comparison =
                Comparison { work: work.clone(), ..Comparison::for_lane(lane).unwrap() };
            let lanes = harnesses::copy(&comparison, harnesses::edits(lane)).unwrap();
            let found = manywire_tools::weigh::lanes::all(Some(&lanes)).unwrap();
            assert_eq!(found.iter().map(|lane| lane.name()).collect::<Vec<_>>(), [lane]);
            std::fs::remove_dir_all(&work).unwrap();
        }
    }

    #[test]
    fn rejects_an_edit_without_its_text() {
        let work = std::env::temp_dir().join(format!("harness-none-{}", std::process::id()));
        let comparison = Comparison { work: work.clone(), ..Comparison::for_lane("go").unwrap() };
        let edit = Edit { file: "go.mod", from: "module nothing\n", to: "" };
        let failure = harnesses::copy(&comparison, &[edit]).unwrap_err();
        assert!(failure.contains("go.mod: expected"), "{failure}");
        std::fs::remove_dir_all(&work).unwrap();
    }
}
