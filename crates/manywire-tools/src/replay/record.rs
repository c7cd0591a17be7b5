//! The record of a replay: the schema `manywire.replay/1`. It keeps the estimate of each launch, with
//! the machine and the versions, and is the only source of the figures on the page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::{Deserialize, Serialize};

use super::table::EVALUATIONS;
use crate::trial::Figure;
use crate::weigh::report::{Clock, Host, Tool};

/// The schema of a record.
pub const SCHEMA: &str = "manywire.replay/1";

/// The record of one evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `manywire.replay/1`.
    pub schema: String,
    /// The name of the evaluation.
    pub evaluation: String,
    /// The day, as `2026-11-24`, in UTC.
    pub date: String,
    /// The program that measured.
    pub tool: Tool,
    /// The machine, with the load that other programs put on it.
    pub host: Host,
    /// The number of launches.
    pub launches: usize,
    /// The clock of the times of programs: CPU time on a busy machine, where the harness reads it.
    pub clock: Clock,
    /// Sentences about the whole measurement, such as that the machine was busy.
    pub notes: Vec<String>,
    /// The figures, in the order of the table.
    pub figures: Vec<RecordedFigure>,
}

/// A published figure, as it was measured here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedFigure {
    /// The thing that was measured.
    pub measured: String,
    /// The subject.
    pub subject: String,
    /// The figure with the versions of the publication.
    pub same: Recorded,
    /// The figure with the versions of today.
    pub today: Recorded,
}

/// A figure, or the reason that there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Recorded {
    /// A figure.
    Measured(Measured),
    /// No figure.
    Missing {
        /// The reason.
        missing: String,
    },
}

/// A measured figure: the geometric mean of its samples, with a 95 % interval over launches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The runtimes and libraries, with their versions.
    pub system: String,
    /// The name of the launches that the figure comes from. Figures of the same launches are
    /// compared launch by launch.
    pub run: String,
    /// The value, in nanoseconds or bytes, or a ratio.
    pub value: f64,
    /// The lower end of the interval. It equals the value if all samples are equal, and is `None` for
    /// a single sample.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
    /// The estimate of each launch, by the clock of the record.
    pub samples: Vec<f64>,
    /// The numbers of the launches of the samples, from 1; empty if no launch before the last of them
    /// lacks the figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launches: Vec<usize>,
    /// The estimates by the other clock, if it was read: CPU time, or the time that passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_samples: Vec<f64>,
}

impl Measured {
    /// Computes the figure of samples; `None` without samples, or if the samples differ and one is
    /// not positive.
    pub(super) fn of(system: String, run: String, samples: Vec<f64>) -> Option<Measured> {
        let first = *samples.first()?;
        let figure = match samples.iter().all(|&sample| sample == first) {
            _ if samples.len() == 1 => Figure { value: first, low: None, high: None },
            // Counts are exact, and a mean on the logarithmic scale would round them.
            true => Figure { value: first, low: Some(first), high: Some(first) },
            false => Figure::of(&samples)?,
        };
        let Figure { value, low, high } = figure;
        let (launches, other_samples) = (Vec::new(), Vec::new());
        Some(Measured { system, run, value, low, high, samples, launches, other_samples })
    }

    /// Returns the figure with the numbers of the launches of its samples.
    pub(super) fn with_launches(self, launches: Vec<usize>) -> Measured {
        let is_complete = launches.iter().copied().eq(1..=launches.len());
        Measured { launches: if is_complete { Vec::new() } else { launches }, ..self }
    }

    /// Returns each launch that has both figures: its number, and the estimates of `self` and of
    /// `other`.
    pub(super) fn paired_with(&self, other: &Measured) -> Vec<(usize, f64, f64)> {
        let theirs: BTreeMap<usize, f64> = other.by_launch().collect();
        let mine = self.by_launch();
        mine.filter_map(|(launch, mine)| Some((launch, mine, *theirs.get(&launch)?))).collect()
    }

    fn by_launch(&self) -> impl Iterator<Item = (usize, f64)> {
        let number = move |index: usize| self.launches.get(index).copied().unwrap_or(index + 1);
        self.samples.iter().enumerate().map(move |(index, sample)| (number(index), *sample))
    }
}

/// The error for a record that cannot be read.
#[derive(Debug)]
pub enum RecordError {
    /// A folder or a file cannot be read.
    Read(PathBuf, io::Error),
    /// A file is not a record.
    Invalid(PathBuf, serde_json::Error),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Read(path, error) => write!(f, "{}: {error}", path.display()),
            RecordError::Invalid(path, error) => {
                write!(f, "{}: expected a record of a replay: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RecordError::Read(_, error) => Some(error),
            RecordError::Invalid(_, error) => Some(error),
        }
    }
}

/// The end of the names of folders with records, after the date.
const FOLDER: &str = "-origins";

impl Record {
    /// Returns the file of the record below the folder of all records.
    pub fn path(&self) -> PathBuf {
        Path::new(&format!("{}{FOLDER}", self.date)).join(format!("{}.json", self.evaluation))
    }

    /// Returns the figure of a row of the table.
    pub(super) fn figure(&self, measured: &str, subject: &str) -> Option<&RecordedFigure> {
        self.figures
            .iter()
            .find(|figure| (&*figure.measured, &*figure.subject) == (measured, subject))
    }
}

/// Returns the text of the README beside the records of a day.
pub fn readme(date: &str) -> String {
    format!(
        "# Published evaluations, repeated, {date}

`manywire replay EVALUATION`, one file for each evaluation, as `manywire_tools::replay::Record` describes it: the host with the load of other programs, the versions, and each figure with its 95 % interval and the estimate of each launch. [docs/origins.md](../../../docs/origins.md) is written from the newest record of each evaluation.
"
    )
}

/// Reads the newest record of each evaluation, in the order of the table, below the folder of all
/// records.
///
/// # Errors
///
/// Fails if a folder or a file cannot be read, or if a file is not a record.
pub fn newest_records(folder: &Path) -> Result<Vec<Record>, RecordError> {
    let unreadable = |error| RecordError::Read(folder.to_owned(), error);
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(FOLDER) {
            folders.push(path);
        }
    }
    // Names begin with the date.
    folders.sort();
    let mut records = Vec::new();
    for evaluation in EVALUATIONS {
        let files = folders.iter().map(|folder| folder.join(format!("{}.json", evaluation.name)));
        if let Some(path) = files.rev().find(|path| path.is_file()) {
            let text = fs::read_to_string(&path)
                .map_err(|error| RecordError::Read(path.clone(), error))?;
            let record =
                serde_json::from_str(&text).map_err(|error| RecordError::Invalid(path, error))?;
            records.push(record);
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::Measured;

    #[test]
    fn equal_samples_are_exact_and_a_single_one_has_no_interval() {
        let of = |samples: &[f64]| {
            Measured::of("S".to_owned(), "r".to_owned(), samples.to_vec()).expect("samples")
        };
        let size = of(&[183.0, 183.0, 183.0]);
        assert_eq!((size.value, size.low, size.high), (183.0, Some(183.0), Some(183.0)));
        let time = of(&[100.0, 110.0, 121.0]);
        assert!((time.value - 110.0).abs() < 1e-9);
        assert!(time.low.is_some_and(|low| low < 100.0), "{time:?}");
        let one = of(&[5.5]);
        assert_eq!((one.value, one.low, one.high), (5.5, None, None));
    }
}
