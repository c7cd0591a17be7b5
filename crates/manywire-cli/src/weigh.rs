//! `manywire weigh`: measures what each format costs on the user's payloads.
//!
//! The arguments become a `WeighSetup` before anything is read; then payloads are loaded, lanes built,
//! and one call measures. The report is compared with gates and baseline, and written.

use std::fs;
use std::path::Path;
use std::time::Duration;

use manywire_format::{FORMATS, Format};
use manywire_shape::Arena;
use manywire_tools::page;
use manywire_tools::payload::{InputError, Payload, PayloadSource};
use manywire_tools::weigh::gate::{self, Gate};
use manywire_tools::weigh::lanes::{self, BuiltLane, LaneSet, Selection};
use manywire_tools::weigh::measure::{Outcome, PreparedPayloads};
use manywire_tools::weigh::report::{self, GateResult, Report, Style};
use manywire_tools::weigh::{
    Effort, InvalidSweep, Options, baseline, measure, selftest, stream, worker,
};

use crate::arguments::Weigh;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::input::{self, InputOptions, LoadedPayloads, report_errors, schema_text};
use crate::output::{self, ProgressLine};
use crate::signals::{INTERRUPTED, catch_interrupts, is_interrupted};

/// Measures the payloads and writes the report.
pub(crate) fn run(arguments: &Weigh) -> Exit {
    if arguments.selftest {
        return selftest(arguments);
    }
    Exit::of(WeighSetup::of(arguments).and_then(|setup| weigh(arguments, &setup)))
}

/// The validated arguments of a measurement.
struct WeighSetup {
    options: Options,
    gates: Vec<Gate>,
    baseline: Option<(String, Report)>,
    lanes: Option<Selection>,
}

impl WeighSetup {
    fn of(arguments: &Weigh) -> Result<WeighSetup, CommandError> {
        let mut options = options(arguments)?;
        let gates: Result<Vec<Gate>, _> = arguments.gates.iter().map(|text| text.parse()).collect();
        let gates = gates.map_err(|error: gate::InvalidGate| usage(error.to_string()))?;
        let baseline = arguments.baseline.as_deref().map(read_report).transpose()?;
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
        let (json, html) = (arguments.json.as_deref(), arguments.html.as_deref());
        output::check_reports(json, html, &arguments.inputs)?;
        Ok(WeighSetup { options, gates, baseline, lanes })
    }
}

/// Reads a report that `weigh --json` wrote. Returns the name of the file and the report.
pub(crate) fn read_report(path: &Path) -> Result<(String, Report), CommandError> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| failed(format!("{name}: {error}")))?;
    let report = parse_report(&name, &text)?;
    Ok((name, report))
}

/// Parses the text of a report that `weigh --json` wrote to the file of this name.
pub(crate) fn parse_report(name: &str, text: &str) -> Result<Report, CommandError> {
    let report = report::read(text).map_err(|error| failed(format!("{name}: {error}")))?;
    check_complete(name, report.interruption())?;
    Ok(report)
}

/// Refuses a report of an interrupted measurement, with the sentence that it begins with.
pub(crate) fn check_complete(name: &str, interruption: Option<String>) -> Result<(), CommandError> {
    match interruption {
        Some(why) => Err(failed(format!("{name}: {why}; repeat the measurement to the end"))),
        None => Ok(()),
    }
}

fn options(arguments: &Weigh) -> Result<Options, CommandError> {
    let mut options = Options {
        each: arguments.each || arguments.compare.is_some(),
        compares_payloads: arguments.compare.is_some(),
        // The table does not show fields, and counting them takes a walk over the bytes in every
        // format.
        counts_fields: arguments.json.is_some() || arguments.html.is_some(),
        sizes_only: arguments.sizes_only,
        reference: arguments.reference,
        delta: arguments.delta,
        seed: arguments.seed,
        ..Options::default()
    };
    if arguments.inputs.is_empty() {
        return Err(usage("no payloads: name files, folders, URLs, or - for standard input"));
    }
    input::check_form(arguments.from, arguments.schema.is_some())?;
    if !arguments.formats.is_empty() {
        let wanted = |format| arguments.formats.contains(&format) || format == arguments.reference;
        options.formats =
            FORMATS.iter().map(|row| row.format).filter(|&format| wanted(format)).collect();
    }
    if !arguments.coding.is_empty() {
        options.codings = arguments.coding.iter().filter_map(|choice| choice.level()).collect();
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
    options.schema = schema_text(arguments.schema.as_deref(), &arguments.reading)?;
    Ok(options)
}

fn weigh(arguments: &Weigh, setup: &WeighSetup) -> Result<Exit, CommandError> {
    let Weigh { from, ref web, ref recording, .. } = *arguments;
    let input_options = InputOptions { from, web, recording };
    let schema = setup.options.schema.as_ref();
    let (sources, errors) =
        input::payload_sources(&arguments.inputs, input_options, schema.is_some());
    if reads_in_chunks(arguments, &sources, setup) {
        return weigh_in_chunks(arguments, &sources, setup, errors);
    }
    let LoadedPayloads { payloads, errors, schema } =
        input::load_sources(&sources, errors, schema)?;
    let options = Options { schema, ..setup.options.clone() };
    drop(sources);
    report_errors(&errors);
    if payloads.is_empty() {
        return Ok(Exit::Failed);
    }
    if options.compares_payloads && payloads.len() < 2 {
        return Err(usage("--compare payloads takes two payloads or more, found one"));
    }
    let built_in = built_in_lane()?;
    let arena = Arena::new();
    let prepared = PreparedPayloads::new(&payloads, &arena, &options).map_err(failed)?;
    let mut line = ProgressLine::new();
    let lane_set = build_lanes(setup, &prepared, &mut line)?.with_built_in(built_in);
    for (lane, reason) in lane_set.skipped() {
        eprintln!("lane {lane} skipped: {reason}");
    }
    let outcome = measure::weigh(&prepared, &options, &lane_set, &mut line, &INTERRUPTED);
    let exit = finish(arguments, setup, outcome, &errors);
    Ok(exit.and(Exit::Missing.when(lane_set.missing)))
}

/// Builds the requested lanes.
fn build_lanes(
    setup: &WeighSetup,
    prepared: &PreparedPayloads<'_>,
    line: &mut ProgressLine,
) -> Result<LaneSet, CommandError> {
    let Some(selection) = &setup.lanes else { return Ok(LaneSet::default()) };
    let folder = crate::lanes::folder();
    let lane_input = prepared.lane_inputs();
    lanes::prepare_lanes(selection, folder.as_deref(), lane_input, line, &INTERRUPTED)
        .map_err(usage)
}

/// The minimum total size, in bytes, of files that `--sizes-only` reads in chunks.
const STREAM_BYTES: u64 = 16 << 20;

/// Returns whether to read in chunks: with `--sizes-only`, for payloads that may not fit into
/// memory. Recorded payloads of endpoints, and payloads with separate rows, must be kept apart, and
/// lanes need the payloads of a row together, so all payloads are then read whole.
fn reads_in_chunks(arguments: &Weigh, sources: &[PayloadSource], setup: &WeighSetup) -> bool {
    // The size of compressed files and streams is unknown, so they may be large.
    let size = |found: &PayloadSource| match found.source.is_coded() {
        true => None,
        false => found.source.coded_bytes(),
    };
    let sizes: Option<u64> = sources.iter().map(size).sum();
    let large = sizes.is_none_or(|bytes| bytes > STREAM_BYTES);
    let recorded = sources.iter().any(|found| found.recorded.is_some());
    let together = !recorded && !setup.options.each;
    arguments.sizes_only && setup.lanes.is_none() && together && large
}

fn weigh_in_chunks(
    arguments: &Weigh,
    sources: &[PayloadSource],
    setup: &WeighSetup,
    mut errors: Vec<InputError>,
) -> Result<Exit, CommandError> {
    catch_interrupts();
    let sizes = stream::sizes(sources, &setup.options, &mut ProgressLine::new(), &INTERRUPTED);
    let nothing = || (Exit::Interrupted, "interrupted before the first payload".to_owned());
    let (outcome, unread) =
        sizes.map_err(|error| if is_interrupted() { nothing() } else { failed(error) })?;
    errors.extend(unread);
    report_errors(&errors);
    if outcome.report.payload_count == 0 {
        return if outcome.interrupted { Err(nothing()) } else { Ok(Exit::Failed) };
    }
    Ok(finish(arguments, setup, outcome, &errors))
}

/// Evaluates the gates, writes the report, and returns the exit of the command.
fn finish(
    arguments: &Weigh,
    setup: &WeighSetup,
    mut outcome: Outcome,
    errors: &[InputError],
) -> Exit {
    if let Some(interruption) = outcome.report.interruption() {
        eprintln!("{interruption}");
    }
    Exit::Failed
        .when(!errors.is_empty())
        .and(Exit::Broken.when(outcome.broken))
        .and(evaluate_gates(setup, &mut outcome.report))
        .and(write(arguments, &outcome.report))
        .and(Exit::Interrupted.when(outcome.interrupted))
}

/// The document that the self-test measures.
const SELFTEST_DOCUMENT: &[u8] = include_bytes!("../documents/people.json");

/// Checks that the intervals hold on this machine, and prints the result.
fn selftest(arguments: &Weigh) -> Exit {
    let document = Payload::new("people.json", Format::Json, SELFTEST_DOCUMENT.to_vec());
    let result = built_in_lane().and_then(|lane| {
        selftest::selftest(&document, arguments.seed, &lane, &mut ProgressLine::new(), &INTERRUPTED)
            .map_err(|error| (Exit::Broken, error.to_string()))
    });
    Exit::of(result.map(|found| {
        let interrupted = Exit::Interrupted.when(is_interrupted());
        let exit = Exit::Failed.when(!found.holds());
        exit.and(output::print(&found.to_string())).and(interrupted)
    }))
}

/// Returns the lane that is built into this program, and catches interrupts: from here on, an
/// interrupt stops the running launch, and the results so far are reported.
fn built_in_lane() -> Result<BuiltLane, CommandError> {
    let program = std::env::current_exe();
    let program = program.map_err(|error| failed(format!("cannot find this program: {error}")))?;
    catch_interrupts();
    Ok(worker::built_in_lane(program, &["worker"]))
}

/// Adds the comparison with the baseline and the results of the gates to the report, and returns the
/// exit for the gates.
fn evaluate_gates(setup: &WeighSetup, report: &mut Report) -> Exit {
    let earlier = setup.baseline.as_ref();
    report.baseline = earlier.map(|(file, earlier)| baseline::compare(file, earlier, report));
    let earlier = earlier.map(|(_, earlier)| earlier);
    report.gates = setup.gates.iter().map(|gate| gate::evaluate(gate, report, earlier)).collect();
    let exit_for = |result| match result {
        GateResult::Pass => Exit::Done,
        GateResult::Fail => Exit::Failed,
        GateResult::Undecided => Exit::Undecided,
    };
    report.gates.iter().map(|gate| exit_for(gate.result)).fold(Exit::Done, Exit::and)
}

fn write(arguments: &Weigh, report: &Report) -> Exit {
    let (json, html) = (arguments.json.as_deref(), arguments.html.as_deref());
    let (exit, is_printed) =
        output::write_report(report, json, html, || page::weigh_page(report, None));
    if is_printed {
        return exit;
    }
    let plot =
        || if arguments.plot { report::plot(report, output::width()) } else { String::new() };
    let text = match (arguments.markdown, arguments.csv) {
        (true, _) => report::markdown(report),
        (_, true) => {
            report::notes_beside_rows(report).iter().for_each(|note| eprintln!("note: {note}"));
            report::csv(report)
        }
        _ => {
            report::text(
                report,
                Style {
                    color: output::use_color(arguments.color),
                    verbose: arguments.verbose,
                    width: output::width(),
                },
            ) + &plot()
        }
    };
    exit.and(output::print(&text))
}
