//! The types of the table: an evaluation, its published figures, and the sources of the same figures
//! today.

use manywire_format::Format;

use crate::weigh::subject::ValueKind;

/// An evaluation that was published, with its figures.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    /// The name in arguments and of its records.
    pub name: &'static str,
    /// The title of its part of the page.
    pub title: &'static str,
    /// The address of the publication.
    pub address: &'static str,
    /// The year in which it was published.
    pub year: &'static str,
    /// The machine and the versions, as far as the publication names them.
    pub system: &'static str,
    /// A paragraph: what was measured.
    pub about: &'static str,
    /// Differences between the measurement then and here, each a sentence.
    pub differences: &'static [&'static str],
    /// The measurements, in the order of the rows.
    pub measurements: &'static [Measurement],
}

/// The figures of one thing that was measured.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// The thing that was measured, such as `pickle`.
    pub measured: &'static str,
    /// The unit of the figures, which decides what they are compared with.
    pub unit: Unit,
    /// The figures, in the order of the rows.
    pub figures: &'static [Published],
}

/// A published figure, and the sources of the same figure on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// The subject, such as `JSON`.
    pub subject: &'static str,
    /// The published value; `None` for a row that was added to compare with.
    pub value: Option<f64>,
    /// The same figure with the versions of the publication, or with the nearest available
    /// versions.
    pub same: Source,
    /// The same figure with the versions that a team would choose today.
    pub today: Source,
}

/// The unit of a figure. The evaluation claims that a ratio is at most its published value, and that
/// any other figure is above or below the first one of its measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Time,
    /// Bytes of a document.
    Size,
    /// Bytes that one operation allocates.
    Allocated,
    /// A ratio.
    Ratio,
}

/// The source of a figure on this machine.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// There is no source, for this reason.
    Missing(&'static str),
    /// A figure that the replay of a lane prints.
    Program {
        /// The lane.
        lane: &'static str,
        /// The name of the figure.
        figure: &'static str,
    },
    /// A figure of a trial, of its first server.
    Trial(&'static Trial, Format, TrialFigure),
    /// The CPU time of one server of a trial for a request, at the same rate for all servers of its lane.
    ServerCpu(&'static Trial, &'static str, Format),
    /// The ratio of two figures of the same launches.
    Ratio(&'static Source, &'static Source),
}

/// A trial between one client and one server, or several servers of one lane.
#[derive(Debug)]
pub struct Trial {
    /// The file of the payload, in the folder of examples.
    pub document: &'static str,
    /// The client: a lane.
    pub client: &'static str,
    /// The servers: a lane, or the servers of a lane that are compared with each other.
    pub servers: &'static [&'static str],
    /// The formats.
    pub formats: &'static [Format],
    /// The libraries to use instead of the first of their lane.
    pub libraries: &'static [&'static str],
    /// The kind of values in the programs; `None` for the usual one of each lane.
    pub target: Option<ValueKind>,
}

/// A figure of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialFigure {
    /// The server encodes for each request, the client drops the bytes.
    Endpoint,
    /// The client decodes, without a server.
    Processing,
    /// The server encodes, the client decodes.
    EndToEnd,
}

impl TrialFigure {
    /// Returns the name of the figure in the report of the trial.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TrialFigure::Endpoint => "endpoint_ns",
            TrialFigure::Processing => "processing_ns",
            TrialFigure::EndToEnd => "end_to_end_ns",
        }
    }
}

impl Measurement {
    /// Returns the figure that the others are compared with. `None` for ratios, which are compared
    /// with their published values.
    pub(crate) fn reference(&self) -> Option<&'static Published> {
        self.figures.first().filter(|_| self.unit != Unit::Ratio)
    }
}

impl Evaluation {
    /// Returns every figure with its measurement, in the order of the rows.
    pub fn rows(&self) -> impl Iterator<Item = (&'static Measurement, &'static Published)> {
        let rows = |measurement: &'static Measurement| {
            measurement.figures.iter().map(move |figure| (measurement, figure))
        };
        self.measurements.iter().flat_map(rows)
    }

    /// Returns every source. A ratio is replaced by its two sources.
    pub fn sources(&self) -> Vec<Source> {
        let mut pending: Vec<Source> =
            self.rows().flat_map(|(_, figure)| [figure.same, figure.today]).collect();
        pending.reverse();
        let mut sources = Vec::new();
        while let Some(source) = pending.pop() {
            match source {
                Source::Ratio(first, second) => pending.extend([*second, *first]),
                other => sources.push(other),
            }
        }
        sources
    }
}
