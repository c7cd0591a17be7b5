//! `manywire trial`: measures formats end to end, between clients and servers in several languages.

use std::fs;
use std::path::Path;
use std::slice;

use manywire_format::{Form, Format};
use manywire_shape::Arena;
use manywire_tools::page;
use manywire_tools::trial::cost::Prices;
use manywire_tools::trial::report::{Report, table};
use manywire_tools::trial::{
    Effort, LAUNCHES_MIN, Options, Outcome, Service, ServiceError, TrialInput, UnreadableService,
};
use manywire_tools::weigh::Progress;
use manywire_tools::weigh::lanes::{
    self, Lane, LaneInput, LaneSet, SERVER_SEPARATOR, Selection, Transport,
};

use crate::arguments::{DEFAULT_LANES, Trial, Web};
use crate::exit::{CommandError, Exit, failed, usage};
use crate::input::{self, InputOptions, report_errors, schema_text};
use crate::output::{self, ProgressLine};
use crate::signals::{INTERRUPTED, catch_interrupts, is_interrupted};

/// Measures payloads end to end and writes the report.
pub(crate) fn run(arguments: &Trial) -> Exit {
    Exit::of(trial(arguments))
}

fn trial(arguments: &Trial) -> Result<Exit, CommandError> {
    let mut options = options(arguments)?;
    let selection: Selection =
        arguments.lanes.parse().map_err(|error| usage(format!("--lanes {error}")))?;
    check_lane_names(&options, &selection, arguments.url.is_some())?;
    check_transports(&options)?;
    let (json, html) = (arguments.json.as_deref(), arguments.html.as_deref());
    output::check_reports(json, html, &arguments.inputs)?;
    let service = service(arguments, &options)?;
    let (payloads, errors) = match &service {
        Some(service) => (vec![service.payload().map_err(unreadable(service))?], Vec::new()),
        None => {
            let Trial { from, ref web, ref recording, .. } = *arguments;
            let input_options = InputOptions { from, web, recording };
            let schema = options.schema.as_ref();
            let loaded = input::load_payloads(&arguments.inputs, input_options, schema)?;
            options.schema = loaded.schema;
            (loaded.payloads, loaded.errors)
        }
    };
    report_errors(&errors);
    if payloads.is_empty() {
        return Ok(Exit::Failed);
    }
    if options.launches() < LAUNCHES_MIN {
        eprintln!(
            "launches of each pair: {}; figures only, because a verdict takes {LAUNCHES_MIN} (--launches {LAUNCHES_MIN})",
            options.launches()
        );
    }
    catch_interrupts();
    let arena = Arena::new();
    let input = TrialInput::new(&payloads, &arena, &options).map_err(failed)?;
    let mut line = ProgressLine::new();
    let mut lane_set = build_lanes(&selection, input.lane_input(), &mut line)?;
    let servers = further_servers(&options, &lane_set)?;
    if !servers.is_empty() {
        lane_set.append(prepare(&Selection::Named(servers), input.lane_input(), &mut line)?);
    }
    let outcome = manywire_tools::trial::trial(
        &input,
        &options,
        service.as_ref(),
        &lane_set,
        &mut line,
        &INTERRUPTED,
    );
    line.finish();
    let outcome = outcome.map_err(|error| match is_interrupted() {
        true => (Exit::Interrupted, format!("interrupted before the first launch: {error}")),
        false => (exit_without_lanes(&lane_set), error.to_string()),
    })?;
    let exit = Exit::Failed.when(!errors.is_empty()).and(Exit::Missing.when(lane_set.missing));
    Ok(exit.and(finish(arguments, &outcome)))
}

/// Returns the service of `--url`, with its response in each format.
fn service(arguments: &Trial, options: &Options) -> Result<Option<Service>, CommandError> {
    let Some(url) = &arguments.url else { return Ok(None) };
    if input::as_url(Path::new(url)).is_none() {
        return Err(usage(format!("--url {url:?}: expected http:// or https://")));
    }
    let answer = |&format: &Format| (format, request(url, format, &arguments.web));
    let answers = options.formats.iter().map(answer).collect();
    let headers = arguments.web.headers.iter();
    let headers =
        headers.map(|field| (field.name().to_owned(), field.value().into_owned())).collect();
    Ok(Some(Service { url: url.clone(), headers, answers }))
}

/// Requests a URL with an `Accept` field of one format, and returns the body.
fn request(url: &str, format: Format, web: &Web) -> Result<Vec<u8>, ServiceError> {
    let content = input::fetch_bytes(url, Some(Form::single(format)), |_| true, web)
        .map_err(|error| ServiceError::Request(error.message))?;
    if content.form.map(|form| form.format) == Some(format) {
        return Ok(content.bytes);
    }
    let received = content.media_type.as_ref().map(|media_type| media_type.essence().to_owned());
    Err(ServiceError::MediaType { expected: format.row().media_type, received })
}

/// Returns the error for a service whose responses cannot be read.
fn unreadable(service: &Service) -> impl Fn(UnreadableService) -> CommandError {
    move |error| failed(format!("{}: {error}", service.url))
}

fn options(arguments: &Trial) -> Result<Options, CommandError> {
    input::check_form(arguments.from, arguments.schema.is_some())?;
    if arguments.launches == Some(0) {
        return Err(usage("--launches is at least 1"));
    }
    Ok(Options {
        formats: arguments.formats.clone(),
        codings: arguments.coding.iter().map(|choice| choice.level()).collect(),
        schema: schema_text(arguments.schema.as_deref(), &arguments.reading)?,
        effort: if arguments.quick { Effort::Quick } else { Effort::Normal },
        launches: arguments.launches,
        clients: arguments.clients.clone(),
        servers: arguments.servers.clone(),
        transports: transports(arguments),
        libraries: arguments.libraries.clone(),
        target: arguments.target,
        link: arguments.link.clone(),
        prices: prices(arguments)?,
        seed: arguments.seed,
    })
}

/// Reads the prices in `--prices`, and applies each `--price`.
fn prices(arguments: &Trial) -> Result<Prices, CommandError> {
    let mut prices = Prices::default();
    if let Some(path) = &arguments.prices {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|error| failed(format!("{name}: {error}")))?;
        prices = Prices::read(&text).map_err(|error| failed(format!("{name}: {error}")))?;
    }
    for price in &arguments.price {
        prices.set(price).map_err(|error| usage(format!("--price: {error}")))?;
    }
    Ok(prices)
}

/// Returns the transports, each once. HTTP comes first, because the others are compared with it.
fn transports(arguments: &Trial) -> Vec<Transport> {
    let named = |transport: &Transport| arguments.transport.contains(transport);
    Transport::ALL.into_iter().filter(named).collect()
}

/// Returns the names of further servers of lanes: those in `--servers`, such as `rust:axum`, and those of the
/// lanes that take part over the other transports of `--transport`.
fn further_servers(options: &Options, lane_set: &LaneSet) -> Result<Vec<String>, CommandError> {
    let known = lanes::all(crate::lanes::folder().as_deref()).map_err(failed)?;
    let is_server = |lane: &&Lane| {
        let is_named = |name: &String| name == lane.name();
        let is_selected = options.servers.is_empty() || options.servers.iter().any(is_named);
        is_selected && lane_set.names().any(|name| name == lane.name())
    };
    let named = options.servers.iter().filter(|name| name.contains(SERVER_SEPARATOR));
    let mut further: Vec<String> = named.cloned().collect();
    for lane in known.iter().filter(is_server) {
        for &transport in options.transports.iter().filter(|each| **each != Transport::Http) {
            let servers = lane.server_names_over(transport).into_iter();
            let servers: Vec<String> = servers.filter(|name| !further.contains(name)).collect();
            further.extend(servers);
        }
    }
    Ok(further)
}

/// Checks that the servers in `--servers` are reached over a transport in `--transport`.
fn check_transports(options: &Options) -> Result<(), CommandError> {
    let known = lanes::all(crate::lanes::folder().as_deref()).map_err(failed)?;
    let missing = Transport::ALL.into_iter().filter(|each| !options.transports.contains(each));
    for transport in missing.filter(|each| *each != Transport::Http) {
        let mut servers = known.iter().flat_map(|lane| lane.server_names_over(transport));
        if let Some(name) = servers.find(|name| options.servers.contains(name)) {
            let (title, value) = (transport.title(), transport.name());
            return Err(usage(format!(
                "--servers: {name:?} is a {title} server; add it with --transport http,{value}"
            )));
        }
    }
    Ok(())
}

/// Checks that the lanes in `--clients` and `--servers` are among the selected lanes, and that each named
/// lane is a client or a server. Further servers of a lane are built although the lane is not selected.
fn check_lane_names(
    options: &Options,
    selection: &Selection,
    has_service: bool,
) -> Result<(), CommandError> {
    if let Some(name) = options.clients.iter().find(|name| name.contains(SERVER_SEPARATOR)) {
        return Err(usage(format!("--clients: {name:?} is a server only; name its lane")));
    }
    let lanes = match selection {
        Selection::Named(names) => names.clone(),
        Selection::All => {
            let known = lanes::all(crate::lanes::folder().as_deref()).map_err(failed)?;
            known.iter().map(|lane| lane.name().to_owned()).collect()
        }
    };
    for (flag, names) in [("--clients", &options.clients), ("--servers", &options.servers)] {
        let known = |name: &String| lanes.contains(name) || name.contains(SERVER_SEPARATOR);
        if let Some(name) = names.iter().find(|name| !known(name)) {
            return Err(usage(format!(
                "{flag}: {name:?} is not among the lanes, {}",
                lanes.join(", ")
            )));
        }
    }
    let takes_part = |lane: &String| {
        let is_server = |name: &String| {
            name == lane || name.split(SERVER_SEPARATOR).next() == Some(lane.as_str())
        };
        options.clients.contains(lane) || options.servers.iter().any(is_server)
    };
    let is_divided = !options.clients.is_empty() && (has_service || !options.servers.is_empty());
    // The default lanes, and all lanes, are those that may take part.
    if is_divided
        && !is_default(selection)
        && let Selection::Named(names) = selection
        && let Some(name) = names.iter().find(|name| !takes_part(name))
    {
        return Err(usage(format!(
            "--lanes: {name:?} is neither among --clients nor among --servers"
        )));
    }
    Ok(())
}

/// Returns whether the selection is that without `--lanes`.
fn is_default(selection: &Selection) -> bool {
    DEFAULT_LANES.parse().as_ref() == Ok(selection)
}

/// Builds the lanes. A default lane may be missing; a lane that the arguments name may not.
fn build_lanes(
    selection: &Selection,
    lane_input: &LaneInput,
    line: &mut ProgressLine,
) -> Result<LaneSet, CommandError> {
    let folder = crate::lanes::folder();
    let is_default = is_default(selection);
    let known = lanes::all(folder.as_deref()).map_err(failed)?;
    let selection = match selection {
        Selection::Named(names) if is_default => {
            let there = |name: &&String| known.iter().any(|lane| lane.name() == *name);
            Selection::Named(names.iter().filter(there).cloned().collect())
        }
        other => other.clone(),
    };
    let mut lane_set = prepare(&selection, lane_input, line)?;
    lane_set.missing &= !is_default;
    Ok(lane_set)
}

fn prepare(
    selection: &Selection,
    lane_input: &LaneInput,
    line: &mut ProgressLine,
) -> Result<LaneSet, CommandError> {
    let folder = crate::lanes::folder();
    let lane_input = slice::from_ref(lane_input);
    lanes::prepare_lanes(selection, folder.as_deref(), lane_input, line, &INTERRUPTED)
        .map_err(usage)
}

/// Returns the exit of a trial that failed: missing lanes take precedence.
fn exit_without_lanes(lane_set: &LaneSet) -> Exit {
    if lane_set.missing || lane_set.names().next().is_none() { Exit::Missing } else { Exit::Failed }
}

fn finish(arguments: &Trial, outcome: &Outcome) -> Exit {
    for note in &outcome.report.lanes {
        if let Some(reason) = note.status.reason() {
            eprintln!("lane {} {reason}", note.lane);
        }
    }
    if let Some(interruption) = outcome.report.interruption() {
        eprintln!("{interruption}");
    }
    Exit::Broken
        .when(outcome.broken)
        .and(write(arguments, &outcome.report))
        .and(Exit::Interrupted.when(outcome.interrupted))
}

fn write(arguments: &Trial, report: &Report) -> Exit {
    let (json, html) = (arguments.json.as_deref(), arguments.html.as_deref());
    let (exit, is_printed) = output::write_report(report, json, html, || page::trial_page(report));
    if is_printed {
        return exit;
    }
    exit.and(output::print(&table(report, arguments.verbose)))
}
