//! `manywire weigh`: words first, objects second, then one call.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use manywire_format::{FORMATS, Format};
use manywire_tools::weigh::gate::{self, Gate};
use manywire_tools::weigh::lanes::{self, Muster, Selection};
use manywire_tools::weigh::launch::Launcher;
use manywire_tools::weigh::measure::{Laid, Outcome};
use manywire_tools::weigh::payload::{Found, InputError, Payload};
use manywire_tools::weigh::report::{self, GateResult, Report, Style};
use manywire_tools::weigh::{
    Effort, InvalidSweep, Options, baseline, measure, payload, selftest, stream,
};

use crate::arguments::{CodingChoice, Weigh};
use crate::exit::{Exit, Refusal, failed, usage};
use crate::input::{self, Gathered, How, report_errors, schema_text};
use crate::output::{self, Line};
use crate::signals::{INTERRUPTED, catch_interrupts};

/// Weighs the payloads and writes the report.
pub(crate) fn run(arguments: &Weigh) -> Exit {
    if arguments.selftest {
        return selftest(arguments);
    }
    Exit::of(Plan::of(arguments).and_then(|plan| weigh(arguments, &plan)))
}

/// The arguments as things that can be used.
struct Plan {
    options: Options,
    gates: Vec<Gate>,
    baseline: Option<(String, Report)>,
    lanes: Option<Selection>,
}

impl Plan {
    fn of(arguments: &Weigh) -> Result<Plan, Refusal> {
        let mut options = options(arguments)?;
        let gates: Result<Vec<Gate>, _> = arguments.gates.iter().map(|text| text.parse()).collect();
        let gates = gates.map_err(|error: gate::InvalidGate| usage(error.to_string()))?;
        let baseline = arguments.baseline.as_deref().map(read_baseline).transpose()?;
        if let Some(gate) = gates.iter().find(|gate| gate.needs_baseline() && baseline.is_none()) {
            return Err(usage(format!("gate {:?} needs --baseline", gate.text)));
        }
        for coding in gates.iter().filter_map(Gate::coding) {
            if !options.codings.contains(&coding) {
                options.codings.push(coding);
            }
        }
        let lanes = arguments.lanes.as_deref().map(str::parse).transpose();
        let lanes = lanes.map_err(|error| usage(format!("--lanes {error}")))?;
        Ok(Plan { options, gates, baseline, lanes })
    }
}

fn read_baseline(path: &Path) -> Result<(String, Report), Refusal> {
    let name = path.display().to_string();
    let failed = |reason: String| (Exit::Failed, format!("{name}: {reason}"));
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        failed(format!("not a report written by `manywire weigh --json`: {error}"))
    })?;
    if report.schema != report::SCHEMA {
        return Err(failed(format!(
            "expected a report of schema {}, found {}",
            report::SCHEMA,
            report.schema
        )));
    }
    Ok((name, report))
}

fn options(arguments: &Weigh) -> Result<Options, Refusal> {
    let mut options = Options {
        each: arguments.each,
        sizes_only: arguments.sizes_only,
        reference: arguments.reference,
        delta: arguments.delta,
        seed: arguments.seed,
        ..Options::default()
    };
    if arguments.inputs.is_empty() {
        return Err(usage("no payloads: name files, folders, URLs, or - for standard input"));
    }
    if let Some(form) = arguments.from {
        let checked = payload::check_form(form, arguments.schema.is_some());
        checked.map_err(|message| usage(format!("--from: {message}")))?;
    }
    if !arguments.formats.is_empty() {
        let wanted = |format| arguments.formats.contains(&format) || format == arguments.reference;
        options.formats =
            FORMATS.iter().map(|row| row.format).filter(|&format| wanted(format)).collect();
    }
    if !arguments.coding.is_empty() {
        let levels = arguments.coding.iter().filter_map(|choice| match choice {
            CodingChoice::None => None,
            CodingChoice::Level(level) => Some(*level),
        });
        options.codings = levels.collect();
        options.timed_codings = options.codings.clone();
    }
    options.effort = match (arguments.quick, arguments.precise) {
        (true, _) => Effort::Quick,
        (_, true) => Effort::Precise,
        _ => Effort::Normal,
    };
    if arguments.delta.is_some_and(|delta| !(delta > 0.0 && delta < 1.0)) {
        return Err(usage("--delta is a share between 0 and 1, such as 0.02"));
    }
    options.time_limit = Duration::try_from_secs_f64(arguments.time_limit)
        .map_err(|_| usage("--time-limit is a number of seconds, such as 50"))?;
    let sweep = arguments.sweep.as_deref().map(str::parse).transpose();
    options.sweep = sweep.map_err(|error: InvalidSweep| usage(error.to_string()))?;
    options.schema = schema_text(arguments.schema.as_deref(), arguments.message.as_deref())?;
    Ok(options)
}

fn weigh(arguments: &Weigh, plan: &Plan) -> Result<Exit, Refusal> {
    let Weigh { from, ref web, ref recording, .. } = *arguments;
    let how = How { from, web, recording };
    let schema = plan.options.schema.as_ref();
    let (sources, errors) = input::payload_sources(&arguments.inputs, how, schema.is_some());
    if streams(arguments, &sources) {
        return stream(arguments, &sources, plan, errors);
    }
    let Gathered { payloads, errors, schema } = input::payloads_of(&sources, errors, schema)?;
    let options = Options { schema, ..plan.options.clone() };
    drop(sources);
    report_errors(&errors);
    if payloads.is_empty() {
        return Ok(Exit::Failed);
    }
    let launcher = launcher()?;
    let laid = Laid::out(&payloads, &options, plan.lanes.is_some());
    let laid = laid.map_err(failed)?;
    let mut line = Line::new();
    let muster = muster(plan, &laid, &mut line)?;
    let outcome = measure::weigh(&laid, &options, &launcher, &muster, &mut line, &INTERRUPTED);
    let missing = if muster.missing { Exit::Missing } else { Exit::Done };
    Ok(conclude(arguments, plan, outcome, &errors).and(missing))
}

/// The lanes that were asked for, built; those that are not to be had are named at once.
fn muster(plan: &Plan, laid: &Laid<'_>, line: &mut Line) -> Result<Muster, Refusal> {
    let Some(selection) = &plan.lanes else { return Ok(Muster::default()) };
    let folder = crate::lanes::folder();
    let delta = measure::lane_delta(&plan.options);
    let given = laid.given();
    let muster = lanes::muster(selection, folder.as_deref(), delta, given, line, &INTERRUPTED);
    let muster = muster.map_err(usage)?;
    for note in muster.notes.iter().filter(|note| note.status != "ok") {
        eprintln!("lane {} {}", note.lane, note.status);
    }
    Ok(muster)
}

/// Files beyond this many bytes in all are read batch by batch when only sizes are asked for.
const STREAM_BYTES: u64 = 16 << 20;

/// Whether to read batch by batch: sizes of what may not fit into memory. Payloads of endpoints are
/// told apart, and so are those that have rows of their own.
fn streams(arguments: &Weigh, sources: &[Found]) -> bool {
    // What may be of any size may be large, as is what has been packed.
    let size = |found: &Found| match found.source.is_coded() {
        true => None,
        false => found.source.coded_bytes(),
    };
    let sizes: Option<u64> = sources.iter().map(size).sum();
    let large = sizes.is_none_or(|bytes| bytes > STREAM_BYTES);
    let together = sources.iter().all(|found| found.recorded.is_none());
    arguments.sizes_only && !arguments.each && together && large
}

fn stream(
    arguments: &Weigh,
    sources: &[Found],
    plan: &Plan,
    mut errors: Vec<InputError>,
) -> Result<Exit, Refusal> {
    catch_interrupts();
    let sizes = stream::sizes(sources, &plan.options, &mut Line::new(), &INTERRUPTED);
    let (outcome, unread) = sizes.map_err(failed)?;
    errors.extend(unread);
    report_errors(&errors);
    if outcome.report.payload_count == 0 {
        return Ok(Exit::Failed);
    }
    Ok(conclude(arguments, plan, outcome, &errors))
}

/// Judges the report, writes it, and says how the command ends.
fn conclude(arguments: &Weigh, plan: &Plan, mut outcome: Outcome, errors: &[InputError]) -> Exit {
    let when = |so: bool, exit| if so { exit } else { Exit::Done };
    when(!errors.is_empty(), Exit::Failed)
        .and(when(outcome.broken, Exit::Broken))
        .and(judge(plan, &mut outcome.report))
        .and(write(arguments, &outcome.report))
        .and(when(outcome.interrupted, Exit::Interrupted))
}

/// The document that the self-test weighs.
const SELFTEST_DOCUMENT: &[u8] = include_bytes!("../documents/people.json");

/// Proves the intervals honest, or says that they are not.
fn selftest(arguments: &Weigh) -> Exit {
    let document = Payload::new("people.json", Format::Json, SELFTEST_DOCUMENT.to_vec());
    let result = launcher().and_then(|launcher| {
        selftest::selftest(&document, arguments.seed, &launcher, &mut Line::new(), &INTERRUPTED)
            .map_err(|error| (Exit::Broken, error.to_string()))
    });
    Exit::of(result.map(|found| {
        let exit = if found.holds() { Exit::Done } else { Exit::Failed };
        let interrupted = INTERRUPTED.load(Ordering::Relaxed);
        let exit = exit.and(output::print(&found.to_string()));
        exit.and(if interrupted { Exit::Interrupted } else { Exit::Done })
    }))
}

/// This program as its own worker, stopped between launches by an interrupt.
fn launcher() -> Result<Launcher, Refusal> {
    let program = std::env::current_exe();
    let program =
        program.map_err(|error| (Exit::Failed, format!("cannot find this program: {error}")))?;
    catch_interrupts();
    Ok(Launcher::new(program, &["worker"]))
}

/// Adds what the gates and the baseline say to the report.
fn judge(plan: &Plan, report: &mut Report) -> Exit {
    let old = plan.baseline.as_ref();
    report.baseline = old.map(|(file, old)| baseline::compare(file, old, report));
    report.gates =
        plan.gates.iter().map(|gate| gate::evaluate(gate, report, old.map(|old| &old.1))).collect();
    let exit_of = |result| match result {
        GateResult::Pass => Exit::Done,
        GateResult::Fail => Exit::Failed,
        GateResult::Undecided => Exit::Undecided,
    };
    report.gates.iter().map(|gate| exit_of(gate.result)).fold(Exit::Done, Exit::and)
}

fn write(arguments: &Weigh, report: &Report) -> Exit {
    let mut exit = Exit::Done;
    if let Some(path) = &arguments.json {
        match serde_json::to_string_pretty(report) {
            Ok(text) => exit = exit.and(output::write(path, &(text + "\n"))),
            Err(error) => {
                eprintln!("error: the report cannot be written: {error}");
                exit = Exit::Failed;
            }
        }
    }
    let stdout_taken = arguments.json.as_deref().is_some_and(|path| path.as_os_str() == "-");
    if stdout_taken {
        return exit;
    }
    let text = match (arguments.markdown, arguments.csv) {
        (true, _) => report::markdown(report),
        (_, true) => report::csv(report),
        _ => report::table(
            report,
            Style { color: output::color(arguments.color), verbose: arguments.verbose },
        ),
    };
    exit.and(output::print(&text))
}
