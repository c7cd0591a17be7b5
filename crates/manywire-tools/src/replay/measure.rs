//! Measures the figures of one evaluation: runs the programs of lanes and the trials that they come
//! from, and resolves each source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fmt, fs, io, ptr, slice};

use manywire_format::Format;
use manywire_shape::{Arena, Timestamp};

use super::evaluation::{Evaluation, Source, Trial, TrialFigure};
use super::record::{Measured, Record, Recorded, RecordedFigure, SCHEMA};
use crate::payload::Payload;
use crate::trial::cost::Prices;
use crate::trial::report::{Library, PairReport, Report, Row};
use crate::trial::{self, Effort, Options, SERVER_CPU_AT_RATE, Transport, TrialError, TrialInput};
use crate::weigh::Progress;
use crate::weigh::contention::Contention;
use crate::weigh::host;
use crate::weigh::lanes::{
    self, BuiltLane, LaneInputError, LaneReplayError, LaneSet, PrepareLanesError, PreparedLane,
    ReplayOutput, Selection,
};
use crate::weigh::report::{Clock, Host};

/// The reason that an evaluation was not measured.
#[derive(Debug)]
pub enum ReplayError {
    /// Lanes are missing or could not be built: the name and the reason of each.
    Lanes(Vec<(String, String)>),
    /// The replay of a lane failed.
    Program(&'static str, LaneReplayError),
    /// The replay of a lane printed no figure of this name.
    Figure(&'static str, &'static str),
    /// An example cannot be read.
    Example(PathBuf, io::Error),
    /// The lanes cannot be read or selected.
    Select(PrepareLanesError),
    /// The document of a trial is invalid.
    Input(LaneInputError),
    /// A trial measured nothing.
    Trial(TrialError),
    /// The user interrupted.
    Interrupted,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Lanes(lanes) => {
                let lanes: Vec<String> =
                    lanes.iter().map(|(lane, reason)| format!("lane {lane}: {reason}")).collect();
                f.write_str(&lanes.join("; "))
            }
            ReplayError::Program(lane, error) => write!(f, "lane {lane}: {error}"),
            ReplayError::Figure(lane, figure) => {
                write!(f, "lane {lane}: the replay printed no figure {figure:?}")
            }
            ReplayError::Example(path, error) => write!(f, "{}: {error}", path.display()),
            ReplayError::Select(error) => error.fmt(f),
            ReplayError::Input(error) => error.fmt(f),
            ReplayError::Trial(error) => error.fmt(f),
            ReplayError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReplayError::Program(_, error) => Some(error),
            ReplayError::Example(_, error) => Some(error),
            ReplayError::Select(error) => Some(error),
            ReplayError::Input(error) => Some(error),
            ReplayError::Trial(error) => Some(error),
            ReplayError::Lanes(_) | ReplayError::Figure(..) | ReplayError::Interrupted => None,
        }
    }
}

/// The record of an evaluation, and whether a library or a lane failed.
#[derive(Debug)]
pub struct Outcome {
    /// The record.
    pub record: Record,
    /// True if a library failed its round trip, or a lane crashed, hung or gave an invalid answer.
    pub broken: bool,
}

/// The folders and numbers of a replay.
#[derive(Clone, Copy, Debug)]
pub struct ReplayOptions<'a> {
    /// The folder of the example documents.
    pub examples: &'a Path,
    /// The folder of lanes, if not the usual one.
    pub lanes: Option<&'a Path>,
    /// The number of launches of each program and of each pair.
    pub launches: usize,
}

/// Measures an evaluation. Nothing is measured unless all of its lanes can be built.
///
/// # Errors
///
/// Fails if a lane is missing, if a program of a lane fails, or after an interrupt.
pub fn replay(
    evaluation: &Evaluation,
    options: &ReplayOptions<'_>,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Outcome, ReplayError> {
    let sources = evaluation.sources();
    let mut contention = Contention::default();
    let mut found = Found::default();
    let programs = build_programs(&sources, options, progress, interrupted)?;
    let trials = trials(&sources);
    let inputs = prepare_trials(&trials, options)?;
    let mut ready = Vec::new();
    for (trial, input) in trials.into_iter().zip(&inputs) {
        let lane_set = build_trial(trial, input, options, progress, interrupted)?;
        ready.push((trial, input, lane_set));
    }
    for launch in 1..=options.launches {
        for (lane, built) in &programs {
            progress.say(&format!("{lane}: launch {launch} of {}", options.launches));
            contention.sample();
            let output = built.replay(options.examples, interrupted);
            let output = output.map_err(|error| program_error(lane, error))?;
            found.add(lane, launch, output, &sources);
        }
    }
    for source in &sources {
        if let Source::Program { lane, figure } = source
            && !found.programs.contains_key(&(*lane, *figure))
        {
            return Err(ReplayError::Figure(lane, figure));
        }
    }
    // Only times of programs have both clocks. A trial measures short requests and batches, most of
    // which nothing interrupts, and takes their medians.
    let clock = match contention.sign(host::processors()) {
        Some(_) => Clock::Cpu,
        None => Clock::Wall,
    };
    found.clock = clock;
    let mut loads: Vec<f64> = contention.load().into_iter().collect();
    for (trial, input, lane_set) in ready {
        let outcome = run_trial(input, &lane_set, progress, interrupted)?;
        found.broken |= outcome.broken;
        loads.extend(outcome.report.host.load);
        found.trials.push((trial, outcome.report));
    }
    progress.finish();
    let load = (!loads.is_empty()).then(|| loads.iter().sum::<f64>() / loads.len() as f64);
    let figures = evaluation.rows().map(|(measurement, figure)| RecordedFigure {
        measured: measurement.measured.to_owned(),
        subject: figure.subject.to_owned(),
        same: found.resolve(&figure.same),
        today: found.resolve(&figure.today),
    });
    let record = Record {
        schema: SCHEMA.to_owned(),
        evaluation: evaluation.name.to_owned(),
        date: today(),
        tool: host::tool(),
        host: Host { load, ..host::host() },
        launches: options.launches,
        clock,
        notes: Vec::new(),
        figures: figures.collect(),
    };
    Ok(Outcome { record, broken: found.broken })
}

/// Returns the day in UTC.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let time = Timestamp { seconds: seconds as i64, nanoseconds: 0 };
    time.to_string().split('T').next().unwrap_or_default().to_owned()
}

fn program_error(lane: &'static str, error: LaneReplayError) -> ReplayError {
    match error {
        LaneReplayError::Interrupted => ReplayError::Interrupted,
        error => ReplayError::Program(lane, error),
    }
}

/// Builds the lanes whose programs are among the sources, and the programs.
fn build_programs(
    sources: &[Source],
    options: &ReplayOptions<'_>,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Vec<(&'static str, BuiltLane)>, ReplayError> {
    let mut names: Vec<&'static str> = Vec::new();
    for source in sources {
        if let Source::Program { lane, .. } = source
            && !names.contains(lane)
        {
            names.push(lane);
        }
    }
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let selection = Selection::Named(names.iter().map(|&name| name.to_owned()).collect());
    let lane_set = lanes::prepare_lanes(&selection, options.lanes, &[], progress, interrupted);
    let lane_set = complete(lane_set.map_err(ReplayError::Select)?)?;
    let mut programs = Vec::new();
    for name in names {
        let found = lane_set.of(0).find(|prepared| prepared.built.lane().name() == name);
        // A complete set has every lane that was named.
        let Some(PreparedLane { built, .. }) = found else { continue };
        progress.say(&format!("{name}: building its replay"));
        built.build_replay(interrupted).map_err(|error| program_error(name, error))?;
        programs.push((name, built.clone()));
    }
    Ok(programs)
}

/// Returns the lanes if all of them were built.
fn complete(lane_set: LaneSet) -> Result<LaneSet, ReplayError> {
    if !lane_set.missing {
        return Ok(lane_set);
    }
    let skipped = lane_set.skipped().map(|(lane, reason)| (lane.to_owned(), reason.to_string()));
    Err(ReplayError::Lanes(skipped.collect()))
}

/// Returns each trial among the sources once.
fn trials(sources: &[Source]) -> Vec<&'static Trial> {
    let mut trials: Vec<&'static Trial> = Vec::new();
    for source in sources {
        if let Source::Trial(trial, ..) | Source::ServerCpu(trial, ..) = source
            && !trials.iter().any(|other| ptr::eq(*other, *trial))
        {
            trials.push(trial);
        }
    }
    trials
}

/// The payload and the options of a trial.
struct TrialSetting {
    payloads: [Payload; 1],
    options: Options,
}

fn prepare_trials(
    trials: &[&'static Trial],
    options: &ReplayOptions<'_>,
) -> Result<Vec<TrialSetting>, ReplayError> {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let setting = |trial: &&'static Trial| {
        let path = options.examples.join(trial.document);
        let bytes = fs::read(&path).map_err(|error| ReplayError::Example(path, error))?;
        Ok(TrialSetting {
            payloads: [Payload::new(trial.document, Format::Json, bytes)],
            options: Options {
                formats: trial.formats.to_vec(),
                codings: vec![None],
                schema: None,
                effort: Effort::Quick,
                launches: Some(options.launches),
                clients: vec![trial.client.to_owned()],
                servers: owned(trial.servers),
                transports: vec![Transport::Http],
                libraries: owned(trial.libraries),
                target: trial.target,
                link: None,
                prices: Prices::default(),
                seed: 0,
            },
        })
    };
    trials.iter().map(setting).collect()
}

/// Builds the lanes of a trial, with types of the document.
fn build_trial(
    trial: &Trial,
    setting: &TrialSetting,
    options: &ReplayOptions<'_>,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<LaneSet, ReplayError> {
    let arena = Arena::new();
    let input =
        TrialInput::new(&setting.payloads, &arena, &setting.options).map_err(ReplayError::Input)?;
    let mut names = vec![trial.client.to_owned()];
    names.extend(trial.servers.iter().map(|&server| server.to_owned()));
    names.dedup();
    let lane_set = lanes::prepare_lanes(
        &Selection::Named(names),
        options.lanes,
        slice::from_ref(input.lane_input()),
        progress,
        interrupted,
    );
    complete(lane_set.map_err(ReplayError::Select)?)
}

/// Runs a trial to its end.
fn run_trial(
    setting: &TrialSetting,
    lane_set: &LaneSet,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<trial::Outcome, ReplayError> {
    let arena = Arena::new();
    let input =
        TrialInput::new(&setting.payloads, &arena, &setting.options).map_err(ReplayError::Input)?;
    let outcome = trial::trial(&input, &setting.options, None, lane_set, progress, interrupted);
    match interrupted.load(Ordering::Relaxed) {
        true => Err(ReplayError::Interrupted),
        false => outcome.map_err(ReplayError::Trial),
    }
}

/// The results of all programs and trials.
#[derive(Default)]
struct Found {
    /// The figures of programs, by lane and name.
    programs: BTreeMap<(&'static str, &'static str), ProgramFigure>,
    clock: Clock,
    trials: Vec<(&'static Trial, Report)>,
    broken: bool,
}

/// A figure of a program over its launches.
#[derive(Clone, Default)]
struct ProgramFigure {
    system: String,
    samples: Vec<ProgramSample>,
}

/// A figure of a program in one launch.
#[derive(Clone, Copy)]
struct ProgramSample {
    /// The number of the launch, from 1.
    launch: usize,
    value: f64,
    cpu: Option<f64>,
}

impl Found {
    /// Adds the figures of a launch that are among the sources.
    fn add(&mut self, lane: &'static str, launch: usize, output: ReplayOutput, sources: &[Source]) {
        let names = sources.iter().filter_map(|source| match source {
            Source::Program { lane: other, figure } if *other == lane => Some(*figure),
            _ => None,
        });
        let mut names: Vec<&'static str> = names.collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            if let Some(figure) = output.figures.iter().find(|figure| figure.name == name) {
                let found = self.programs.entry((lane, name)).or_default();
                found.system.clone_from(&figure.system);
                let (value, cpu) = (figure.value, figure.cpu);
                found.samples.push(ProgramSample { launch, value, cpu });
            }
        }
    }

    fn resolve(&self, source: &Source) -> Recorded {
        let missing = |missing: String| Recorded::Missing { missing };
        let measured = match source {
            Source::Missing(reason) => Err((*reason).to_owned()),
            Source::Program { lane, figure } => self.of_program(lane, figure),
            Source::Trial(trial, format, figure) => {
                let of_system = |pair: &PairReport, row: &Row| system(pair, row, *figure);
                self.of_trial(trial, trial.servers[0], *format, figure.name(), of_system)
            }
            Source::ServerCpu(trial, server, format) => {
                let of_system =
                    |pair: &PairReport, row: &Row| server_system(pair, row).unwrap_or_default();
                self.of_trial(trial, server, *format, SERVER_CPU_AT_RATE, of_system)
            }
            Source::Ratio(first, second) => self.of_ratio(first, second),
        };
        measured.map_or_else(missing, Recorded::Measured)
    }

    fn of_program(&self, lane: &'static str, figure: &'static str) -> Result<Measured, String> {
        let absent = || "not measured".to_owned();
        let ProgramFigure { system, samples } =
            self.programs.get(&(lane, figure)).ok_or_else(absent)?;
        let launches = samples.iter().map(|sample| sample.launch).collect();
        let values = samples.iter().map(|sample| sample.value).collect();
        let cpu: Option<Vec<f64>> = samples.iter().map(|sample| sample.cpu).collect();
        let (samples, other_samples) = match (self.clock, cpu) {
            // CPU times of some launches only do not count: a figure is of one clock.
            (_, None) => (values, Vec::new()),
            (Clock::Cpu, Some(cpu)) => (cpu, values),
            (Clock::Wall, Some(cpu)) => (values, cpu),
        };
        let measured = Measured::of(system.clone(), lane.to_owned(), samples);
        let measured = measured.ok_or_else(absent)?.with_launches(launches);
        Ok(Measured { other_samples, ..measured })
    }

    fn of_trial(
        &self,
        trial: &'static Trial,
        server: &str,
        format: Format,
        figure: &str,
        of_system: impl FnOnce(&PairReport, &Row) -> String,
    ) -> Result<Measured, String> {
        let found = self.trials.iter().find(|(other, _)| ptr::eq(*other, trial));
        let mut pairs = found.iter().flat_map(|(_, report)| &report.pairs);
        let pair = pairs.find(|pair| pair.server == server);
        let pair = pair.ok_or_else(|| format!("the trial has no pair with {server}"))?;
        if !pair.status.is_ok() {
            return Err(pair.status.to_string());
        }
        let row = pair.rows.iter().find(|row| row.format == format.name());
        let row = row.ok_or_else(|| format!("neither end has {format}"))?;
        if !row.status.is_ok() {
            return Err(row.status.to_string());
        }
        let samples = row.samples.get(figure).cloned().unwrap_or_default();
        let (client, servers) = (trial.client, trial.servers.join(", "));
        let run = format!("{client} ← {servers}: {}", trial.libraries.join(", "));
        Measured::of(of_system(pair, row), run, samples)
            .ok_or_else(|| "not measured in every launch".to_owned())
    }

    fn of_ratio(&self, first: &Source, second: &Source) -> Result<Measured, String> {
        let (first, second) = match (self.resolve(first), self.resolve(second)) {
            (Recorded::Measured(first), Recorded::Measured(second)) => (first, second),
            (Recorded::Missing { missing }, _) | (_, Recorded::Missing { missing }) => {
                return Err(missing);
            }
        };
        let pairs = first.paired_with(&second).into_iter();
        let (launches, samples): (Vec<usize>, Vec<f64>) =
            pairs.map(|(launch, first, second)| (launch, first / second)).unzip();
        Measured::of(first.system, first.run, samples)
            .map(|ratio| ratio.with_launches(launches))
            .ok_or_else(|| "the two figures have no launches in common".to_owned())
    }
}

/// Describes the runtimes and libraries that a figure of a trial depends on.
fn system(pair: &PairReport, row: &Row, figure: TrialFigure) -> String {
    let client = format!("{} with {}", pair.client_runtime, library_text(&row.client_library));
    match (figure, server_system(pair, row)) {
        (TrialFigure::Processing, _) | (_, None) => client,
        (TrialFigure::Endpoint | TrialFigure::EndToEnd, Some(server)) => {
            format!("{server}, to {client}")
        }
    }
}

/// Describes the runtime and the library of the server, if it has them.
fn server_system(pair: &PairReport, row: &Row) -> Option<String> {
    let (runtime, library) = pair.server_runtime.as_ref().zip(row.server_library.as_ref())?;
    Some(format!("{runtime} with {}", library_text(library)))
}

/// Describes a library, with the kind of values in its program.
fn library_text(library: &Library) -> String {
    let Library { name, version, target } = library;
    format!("{name} {version} ({target})")
}

#[cfg(test)]
mod tests {
    use super::{Clock, Found, ProgramFigure, ProgramSample, ReplayOutput, Source};
    use crate::weigh::lanes::ReplayFigure;

    /// Returns the samples and the other samples of a figure of three launches.
    fn recorded(clock: Clock, cpu_samples: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut found = Found { clock, ..Found::default() };
        let sample = |launch: usize| {
            let cpu = cpu_samples.get(launch - 1).copied();
            ProgramSample { launch, value: 4.0, cpu }
        };
        let figure =
            ProgramFigure { system: "S 1".to_owned(), samples: (1..=3).map(sample).collect() };
        found.programs.insert(("go", "a"), figure);
        let measured = found.of_program("go", "a").expect("a figure");
        (measured.samples, measured.other_samples)
    }

    #[test]
    fn cpu_time_counts_if_every_launch_has_it() {
        let (wall, cpu) = (vec![4.0; 3], vec![3.0; 3]);
        assert_eq!(recorded(Clock::Wall, &cpu), (wall.clone(), cpu.clone()));
        assert_eq!(recorded(Clock::Cpu, &cpu), (cpu.clone(), wall.clone()));
        for clock in [Clock::Wall, Clock::Cpu] {
            assert_eq!(recorded(clock, &cpu[..2]), (wall.clone(), Vec::new()), "{clock:?}");
        }
    }

    /// A program may leave out a figure in a launch, and another figure in another launch.
    #[test]
    fn figures_are_paired_by_launch() {
        const FIGURES: [Source; 2] = [
            Source::Program { lane: "go", figure: "a" },
            Source::Program { lane: "go", figure: "b" },
        ];
        let mut found = Found::default();
        let launches: [&[(&str, f64)]; 4] =
            [&[("a", 10.0)], &[("a", 20.0), ("b", 2.0)], &[("a", 40.0), ("b", 4.0)], &[("b", 8.0)]];
        for (index, figures) in launches.into_iter().enumerate() {
            let figure = |(name, value): &(&str, f64)| {
                let (name, system) = ((*name).to_owned(), "S 1".to_owned());
                ReplayFigure { name, system, value: *value, cpu: None }
            };
            let figures = figures.iter().map(figure).collect();
            found.add("go", index + 1, ReplayOutput { figures }, &FIGURES);
        }
        let ratio = found.of_ratio(&FIGURES[0], &FIGURES[1]).expect("two launches");
        assert_eq!((ratio.samples, ratio.launches), (vec![10.0; 2], vec![2, 3]));
        // The first launches need no numbers.
        assert!(found.of_program("go", "a").expect("a figure").launches.is_empty());
        assert_eq!(found.of_program("go", "b").expect("a figure").launches, [2, 3, 4]);
    }
}
