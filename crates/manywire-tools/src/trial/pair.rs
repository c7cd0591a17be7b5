//! The two ends of a trial: lanes made ready, a client paired with a server, and the cells they
//! exchange.

use std::fmt;
use std::sync::atomic::AtomicBool;

use manywire_format::{CodingLevel, Format, SchemaNeeds};
use manywire_shape::Arena;

use crate::payload::Payload;
use crate::trial::error::CellError;
use crate::trial::options::{Options, Service};
use crate::weigh::lanes;
use crate::weigh::lanes::{
    BuiltLane, ExaminationInput, LaneExamination, LaneInput, LaneInputError, Peers, PreparedLane,
    Session, SubjectError, Transport, TypesError,
};
use crate::weigh::launch::LaunchError;
use crate::weigh::payload::{Corpus, Sample};
use crate::weigh::subject::{Subject, ValueKind};

/// A client and its server.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) client: &'a TrialLane,
    pub(crate) server: Server<'a>,
}

/// The server of a pair.
#[derive(Clone, Copy)]
pub(crate) enum Server<'a> {
    /// A lane, which is launched.
    Lane(&'a TrialLane),
    /// A running service.
    Service(&'a Service),
}

/// A format under a coding, as one pair exchanges it. Each cell becomes a row of the report.
#[derive(Clone)]
pub(crate) struct Cell<'a> {
    pub(crate) format: Format,
    pub(crate) coding: Option<CodingLevel>,
    pub(crate) client: &'a LaneLibrary,
    /// The server's library; `None` for a running service.
    pub(crate) server: Option<&'a LaneLibrary>,
    /// The payloads as the server sends them, or the reason that it cannot.
    pub(crate) bytes: Result<&'a [Vec<u8>], CellError>,
    /// Bytes of all bodies, without envelopes.
    pub(crate) body_bytes: Option<u64>,
}

impl<'a> Pair<'a> {
    /// Returns the client's name.
    pub(crate) fn client_name(&self) -> &'a str {
        self.client.name()
    }

    /// Returns the server's name.
    pub(crate) fn server_name(&self) -> &'a str {
        match self.server {
            Server::Lane(trial_lane) => trial_lane.name(),
            Server::Service(service) => &service.url,
        }
    }

    /// Returns the transport between both.
    pub(crate) fn transport(&self) -> Transport {
        match self.server {
            Server::Lane(trial_lane) => trial_lane.transport(),
            Server::Service(_) => Transport::Http,
        }
    }

    /// Returns whether both pairs have the same client, and servers of the same lane.
    pub(crate) fn has_same_lanes(&self, other: &Pair<'_>) -> bool {
        let lane = |server: &Server<'_>| match *server {
            Server::Lane(trial_lane) => Some(trial_lane.built.lane().manifest().name.clone()),
            Server::Service(_) => None,
        };
        let own = lane(&self.server);
        self.client_name() == other.client_name() && own.is_some() && own == lane(&other.server)
    }

    /// Returns every format and coding that both ends know, even those that cannot be measured.
    pub(crate) fn cells(&self, options: &Options) -> Vec<Cell<'a>> {
        let mut cells = Vec::new();
        for &format in &options.formats {
            let Some(client) = self.client.library(format) else { continue };
            for &coding in &options.codings {
                cells.extend(match self.server {
                    Server::Lane(trial_lane) => of_lane(trial_lane, format, coding, client),
                    Server::Service(service) => {
                        of_service(service, format, coding, client, options.schema.is_some())
                    }
                });
            }
        }
        cells
    }
}

fn of_lane<'a>(
    trial_lane: &'a TrialLane,
    format: Format,
    coding: Option<CodingLevel>,
    client: &'a LaneLibrary,
) -> Option<Cell<'a>> {
    let server = trial_lane.library(format)?;
    let bytes = match &server.bytes {
        Ok(bytes) => Ok(bytes.as_slice()),
        Err(error) => Err(CellError::server(error)),
    };
    // The coded size is that of the server's lane, because the compressor of another lane may
    // produce a few more or fewer bytes.
    let body_bytes = match coding {
        None => bytes.as_ref().ok().map(|bytes| bytes.iter().map(|bytes| bytes.len() as u64).sum()),
        Some(level) => server.coded_sizes.iter().find(|size| size.0 == level).map(|size| size.1),
    };
    Some(Cell { format, coding, client, server: Some(server), bytes, body_bytes })
}

fn of_service<'a>(
    service: &'a Service,
    format: Format,
    coding: Option<CodingLevel>,
    client: &'a LaneLibrary,
    by_schema: bool,
) -> Option<Cell<'a>> {
    let (_, answer) = service.answers.iter().find(|(answered, _)| *answered == format)?;
    let bytes = match answer {
        // The field numbers of an inferred schema would differ from the service's.
        Ok(_) if !by_schema && format.row().schema != SchemaNeeds::InBand => {
            Err(CellError::NeedsSchema)
        }
        Ok(bytes) => Ok(std::slice::from_ref(bytes)),
        Err(error) => Err(CellError::Service(error.clone())),
    };
    let body_bytes = answer.as_ref().ok().map(|bytes| bytes.len() as u64);
    Some(Cell { format, coding, client, server: None, bytes, body_bytes })
}

/// The gzip level of `lanes/CONTRACT.md`.
const LEVEL: u8 = 6;

impl Cell<'_> {
    /// Returns the reason that the cell cannot be measured, and whether a subject is at fault.
    pub(crate) fn obstacle(&self, pair: &Pair<'_>) -> Option<(CellError, bool)> {
        if let Err(error) = &self.bytes {
            let broken = self.server.is_some_and(LaneLibrary::is_broken);
            return Some((error.clone(), broken));
        }
        if let Err(error) = &self.client.bytes {
            return Some((CellError::client(error), self.client.is_broken()));
        }
        let level = self.coding?;
        if level.level() != LEVEL {
            return Some((CellError::Level { level, supported: LEVEL }, false));
        }
        let token = level.coding().name();
        let lacks = |trial_lane: &TrialLane| {
            let peers = trial_lane.peers(pair.transport());
            !peers.is_some_and(|peers| peers.codings.iter().any(|known| known == token))
        };
        let without = match pair.server {
            Server::Lane(server) if lacks(server) => server,
            _ if lacks(pair.client) => pair.client,
            _ => return None,
        };
        Some((CellError::NoCoding { lane: without.name().to_owned(), coding: token }, false))
    }
}

/// A lane that is ready to act as server or client.
#[derive(Debug)]
pub(crate) struct TrialLane {
    /// The built lane, with generated types if it uses them.
    pub(crate) built: BuiltLane,
    /// The runtime and its version.
    pub(crate) runtime: String,
    /// The server and the client of the lane over each transport that the lane has.
    peers: Vec<(Transport, Peers)>,
    /// One library per format, in the order of formats.
    pub(crate) libraries: Vec<LaneLibrary>,
    /// The reason that types of the payloads are missing, if the lane needs them.
    types_error: Option<TypesError>,
}

impl TrialLane {
    /// Returns whether the trial uses types of the payloads that could not be built.
    pub(crate) fn lacks_types(&self, options: &Options) -> bool {
        uses_types(options) && matches!(self.types_error, Some(TypesError::Failed(_)))
    }
}

/// A library of a lane in one format.
#[derive(Debug)]
pub(crate) struct LaneLibrary {
    pub(crate) subject: Subject,
    pub(crate) version: String,
    /// The payloads as the library wrote them, or the reason that it could not.
    pub(crate) bytes: Result<Vec<Vec<u8>>, SubjectError>,
    /// The sizes of the payloads under each coding.
    pub(crate) coded_sizes: Vec<(CodingLevel, u64)>,
}

impl LaneLibrary {
    /// Returns whether the library failed its round trip.
    pub(crate) fn is_broken(&self) -> bool {
        self.bytes.as_ref().is_err_and(SubjectError::is_broken)
    }
}

impl TrialLane {
    pub(crate) fn name(&self) -> &str {
        self.built.lane().name()
    }

    /// Returns the transport of the lane's server.
    pub(crate) fn transport(&self) -> Transport {
        self.built.lane().transport()
    }

    /// Returns the lane's server and client over a transport, if the lane has them.
    pub(crate) fn peers(&self, transport: Transport) -> Option<&Peers> {
        self.peers.iter().find(|(own, _)| *own == transport).map(|(_, peers)| peers)
    }

    pub(crate) fn library(&self, format: Format) -> Option<&LaneLibrary> {
        self.libraries.iter().find(|library| library.subject.format == format)
    }
}

/// The payloads of a trial, read and encoded once for all lanes.
#[derive(Debug)]
pub struct TrialInput<'a> {
    pub(crate) payloads: &'a [Payload],
    samples: Vec<Sample<'a>>,
    pub(crate) lane_input: LaneInput,
}

impl<'a> TrialInput<'a> {
    /// Reads payloads into values in the arena, and encodes them in the formats of the trial.
    ///
    /// # Errors
    ///
    /// Fails if a payload or the schema cannot be read.
    pub fn new(
        payloads: &'a [Payload],
        arena: &'a Arena,
        options: &Options,
    ) -> Result<Self, LaneInputError> {
        let schema = options.schema.as_ref().map(|schema| schema.read()).transpose()?;
        let Corpus { samples } = Corpus::load_all(payloads, schema.as_ref(), arena)?;
        let lane_input = LaneInput::encode(&samples, options.schema.as_ref(), &options.formats)?;
        Ok(TrialInput { payloads, samples, lane_input })
    }

    /// Returns the payloads as lanes receive them.
    pub fn lane_input(&self) -> &LaneInput {
        &self.lane_input
    }
}

/// The reason that a lane cannot take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LaneUnavailable {
    /// The process of the lane failed, or the user interrupted.
    Process(LaunchError),
    /// The lane has no server and client over any of these transports.
    NoPeers(Vec<Transport>),
}

impl LaneUnavailable {
    /// Returns whether the lane is at fault.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self, LaneUnavailable::Process(error) if *error != LaunchError::Interrupted)
    }
}

impl fmt::Display for LaneUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaneUnavailable::Process(error) => error.fmt(f),
            LaneUnavailable::NoPeers(transports) => {
                let titles: Vec<&str> = transports.iter().map(|each| each.title()).collect();
                write!(f, "the lane has no {} server and client", titles.join(" or "))
            }
        }
    }
}

/// Prepares a lane: reads its description, and makes each of its libraries read and write the
/// payloads once.
pub(crate) fn prepare_lane(
    prepared: &PreparedLane,
    input: &TrialInput<'_>,
    options: &Options,
    say: &mut dyn FnMut(&str),
    interrupted: &AtomicBool,
) -> Result<TrialLane, LaneUnavailable> {
    let PreparedLane { built, types_error } = prepared;
    let session = Session::start(built, 0, interrupted).map_err(LaneUnavailable::Process)?;
    let lane = built.lane();
    let transports = match lane.is_server_variant() {
        true => vec![lane.transport()],
        false => options.transports.clone(),
    };
    let peers = transports.iter().filter_map(|&each| Some((each, session.peers(each)?.clone())));
    let peers: Vec<(Transport, Peers)> = peers.collect();
    session.finish().map_err(LaneUnavailable::Process)?;
    if peers.is_empty() {
        return Err(LaneUnavailable::NoPeers(transports));
    }
    let chosen = choose(&built.lane().subjects(), options, types_error.is_none());
    let codings: Vec<CodingLevel> = options.codings.iter().flatten().copied().collect();
    let examination_input = ExaminationInput {
        samples: &input.samples,
        lane_input: &input.lane_input,
        codings: &codings,
        types_error: types_error.as_ref(),
    };
    let wanted = |subject: &Subject| chosen.iter().any(|chosen| chosen.is_same(subject));
    let LaneExamination { runtime, subjects, .. } =
        lanes::examine(built, wanted, &examination_input, interrupted, say);
    let libraries = subjects.into_iter().map(|examined| {
        let (bytes, coded_sizes) = match examined.result {
            Ok((examination, written)) => {
                let of = |level: &CodingLevel| {
                    let sizes = examination.coded_sizes.get(&level.to_string())?;
                    Some((*level, sizes.iter().sum()))
                };
                (Ok(written), codings.iter().filter_map(of).collect())
            }
            Err(error) => (Err(error), Vec::new()),
        };
        LaneLibrary { subject: examined.subject, version: examined.version, bytes, coded_sizes }
    });
    let libraries = libraries.collect();
    let types_error = types_error.clone();
    Ok(TrialLane { built: built.clone(), runtime, peers, libraries, types_error })
}

/// Chooses one subject for each format: preferably of a library in `options.libraries`, then with
/// the kind of value in `options.target` or else of the lane's own JSON, so that formats are
/// compared with the same kind. Among equals, the first subject is chosen, whose library most users
/// have.
fn choose(subjects: &[Subject], options: &Options, types: bool) -> Vec<Subject> {
    let usable = |subject: &&Subject| types || subject.target == ValueKind::Dynamic;
    let subjects: Vec<&Subject> = subjects.iter().filter(usable).collect();
    let target = wanted_kind(subjects.iter().copied(), options);
    let rank = |subject: &Subject| {
        let named = options.libraries.contains(&subject.library);
        (named, Some(subject.target) == target)
    };
    let best = |&format: &Format| {
        let of = subjects.iter().filter(|subject| subject.format == format);
        // `max_by_key` returns the last maximum, so the reversed iterator yields the first.
        of.rev().max_by_key(|subject| rank(subject)).map(|&subject| subject.clone())
    };
    options.formats.iter().filter_map(best).collect()
}

/// Returns the kind of value in `options.target`, or else that of the lane's own JSON: typed values if it
/// has them.
fn wanted_kind<'s>(
    subjects: impl IntoIterator<Item = &'s Subject>,
    options: &Options,
) -> Option<ValueKind> {
    let of_reference = subjects.into_iter().filter(|subject| subject.reference);
    options.target.or(of_reference.map(|subject| subject.target).max())
}

/// Returns whether a trial uses typed values where a lane has them.
fn uses_types(options: &Options) -> bool {
    options.target != Some(ValueKind::Dynamic)
}

/// Returns a sentence for each lane whose types of the payloads could not be built; for each format that
/// lanes have no usable library for, whose pairs have no row of it; for formats whose values are of
/// another kind than those of the other rows; and for each library in `options.libraries` that no lane
/// uses.
pub(crate) fn missing_notes(trial_lanes: &[TrialLane], options: &Options) -> Vec<String> {
    let lanes: Vec<LaneSubjects<'_>> = trial_lanes
        .iter()
        .map(|trial_lane| LaneSubjects {
            name: trial_lane.name(),
            all: trial_lane.built.lane().subjects(),
            used: trial_lane.libraries.iter().map(|library| library.subject.clone()).collect(),
            types_error: trial_lane.types_error.as_ref(),
        })
        .collect();
    missing_libraries(&lanes, options)
}

/// The subjects of a lane, and those that a trial uses.
struct LaneSubjects<'l> {
    name: &'l str,
    all: Vec<Subject>,
    used: Vec<Subject>,
    /// The reason that types of the payloads are missing.
    types_error: Option<&'l TypesError>,
}

/// Returns the sentences for these lanes.
fn missing_libraries(lanes: &[LaneSubjects<'_>], options: &Options) -> Vec<String> {
    let mut sentences = Vec::new();
    for lane in lanes {
        if let Some(TypesError::Failed(reason)) = lane.types_error.filter(|_| uses_types(options)) {
            let reason = reason.lines().next().unwrap_or_default();
            sentences.push(format!("no types of the payloads in the lane {}: {reason}", lane.name));
        }
    }
    for &format in &options.formats {
        let has = |subjects: &[Subject]| subjects.iter().any(|subject| subject.format == format);
        let unused = lanes.iter().filter(|lane| !has(&lane.used));
        // Without types for the payloads, the libraries of typed values cannot be used.
        let (typed, without): (Vec<&LaneSubjects<'_>>, Vec<_>) =
            unused.partition(|lane| has(&lane.all));
        for (what, found) in [("library", without), ("library without generated types", typed)] {
            let names: Vec<&str> = found.iter().map(|lane| lane.name).collect();
            if !names.is_empty() {
                sentences.push(format!("no {format} {what} in the lanes {}", names.join(", ")));
            }
        }
    }
    sentences.extend(other_kinds(lanes, options));
    let is_used = |name: &String| {
        lanes.iter().flat_map(|lane| &lane.used).any(|subject| subject.library == *name)
    };
    let unused = options.libraries.iter().filter(|&name| !is_used(name));
    sentences.extend(unused.map(|name| format!("no lane uses the library {name}")));
    sentences
}

/// Returns a sentence for the formats in which lanes do not have the kind of value in `options.target`,
/// or else that of their own JSON. Their rows are compared with rows of that kind.
fn other_kinds(lanes: &[LaneSubjects<'_>], options: &Options) -> Vec<String> {
    // The lanes of each pair of a finding and its reason.
    let mut found: Vec<((String, String), Vec<&str>)> = Vec::new();
    for lane in lanes {
        let target = wanted_kind(&lane.all, options);
        let others: Vec<&Subject> =
            lane.used.iter().filter(|subject| Some(subject.target) != target).collect();
        let (Some(target), Some(first)) = (target, others.first()) else { continue };
        let formats: Vec<&str> = others.iter().map(|subject| subject.format.name()).collect();
        let what = format!("{} instead of {target} values of {}", first.target, formats.join(", "));
        let why = match lane.types_error.filter(|_| target == ValueKind::Typed) {
            Some(TypesError::Unsupported(reason)) => reason.clone(),
            Some(TypesError::Failed(_)) => "they need types of the payloads".to_owned(),
            None => format!("no library has {target} ones"),
        };
        let note = (what, why);
        match found.iter_mut().find(|(known, _)| *known == note) {
            Some((_, names)) => names.push(lane.name),
            None => found.push((note, vec![lane.name])),
        }
    }
    let sentence = |((what, why), names): ((String, String), Vec<&str>)| {
        format!("{what} in the lanes {}: {why}", names.join(", "))
    };
    found.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use crate::weigh::lanes::{Transport, TypesError};
    use crate::weigh::subject::{Buffer, Subject, ValueKind};
    use manywire_format::Format;

    use super::{LaneSubjects, choose, missing_libraries};
    use crate::trial::options::{Effort, Options};

    fn subject(library: &str, format: Format, target: ValueKind, reference: bool) -> Subject {
        let (library, buffer) = (library.to_owned(), Buffer::Fresh);
        Subject { library, format, target, buffer, reference }
    }

    fn options(libraries: &[&str]) -> Options {
        Options {
            formats: vec![Format::Json, Format::Protobuf],
            codings: vec![None],
            schema: None,
            effort: Effort::Quick,
            launches: None,
            clients: Vec::new(),
            servers: Vec::new(),
            transports: vec![Transport::Http],
            libraries: libraries.iter().map(|&name| name.to_owned()).collect(),
            target: None,
            link: None,
            prices: crate::trial::cost::Prices::default(),
            seed: 0,
        }
    }

    fn chosen(subjects: &[Subject], libraries: &[&str], types: bool) -> Vec<String> {
        choose(subjects, &options(libraries), types).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lane_compares_the_same_kind_of_value() {
        let typed = [
            subject("j", Format::Json, ValueKind::Dynamic, true),
            subject("p", Format::Protobuf, ValueKind::Dynamic, false),
            subject("j", Format::Json, ValueKind::Typed, true),
            subject("fast", Format::Json, ValueKind::Typed, false),
            subject("p", Format::Protobuf, ValueKind::Typed, false),
        ];
        assert_eq!(chosen(&typed, &[], true), ["j json typed", "p protobuf typed"]);
        assert_eq!(chosen(&typed, &["fast"], true), ["fast json typed", "p protobuf typed"]);
        assert_eq!(chosen(&typed, &[], false), ["j json dynamic", "p protobuf dynamic"]);
        let dynamic = [
            subject("j", Format::Json, ValueKind::Dynamic, true),
            subject("p", Format::Protobuf, ValueKind::Dynamic, false),
            subject("p", Format::Protobuf, ValueKind::Typed, false),
        ];
        assert_eq!(chosen(&dynamic, &[], true), ["j json dynamic", "p protobuf dynamic"]);
        // A subject of the other kind is used if there is no other.
        assert_eq!(chosen(&dynamic[..1], &[], true), ["j json dynamic"]);
        let only_typed = [dynamic[0].clone(), dynamic[2].clone()];
        assert_eq!(chosen(&only_typed, &[], true), ["j json dynamic", "p protobuf typed"]);
    }

    #[test]
    fn formats_and_libraries_that_lanes_lack_are_named() {
        let json = subject("j", Format::Json, ValueKind::Dynamic, true);
        let protobuf = subject("p", Format::Protobuf, ValueKind::Dynamic, false);
        let typed = subject("t", Format::Protobuf, ValueKind::Typed, false);
        let lane = |name, all: &[&Subject], used: &[&Subject]| {
            let [all, used] = [all, used].map(|all| all.iter().copied().cloned().collect());
            LaneSubjects { name, all, used, types_error: None }
        };
        let lanes = [
            lane("one", &[&json], &[&json]),
            lane("two", &[&json, &typed], &[&json]),
            lane("three", &[&json, &protobuf], &[&json, &protobuf]),
        ];
        assert_eq!(
            missing_libraries(&lanes, &options(&["p", "fast"])),
            [
                "no protobuf library in the lanes one",
                "no protobuf library without generated types in the lanes two",
                "no lane uses the library fast",
            ]
        );
        assert!(missing_libraries(&lanes[2..], &options(&["p"])).is_empty());
    }

    #[test]
    fn values_of_another_kind_are_named() {
        let json = subject("j", Format::Json, ValueKind::Typed, true);
        let plain = subject("j", Format::Json, ValueKind::Dynamic, true);
        let protobuf = subject("p", Format::Protobuf, ValueKind::Dynamic, false);
        let lane = |name, used: &[&Subject], types_error| LaneSubjects {
            name,
            all: [&plain, &json, &protobuf].map(Clone::clone).to_vec(),
            used: used.iter().copied().cloned().collect(),
            types_error,
        };
        let no_tuple = TypesError::Unsupported("types do not hold a tuple".to_owned());
        let uncompiled = TypesError::Failed("code that does not compile\nline 3".to_owned());
        let lanes = [
            lane("one", &[&json, &protobuf], None),
            lane("two", &[&plain, &protobuf], Some(&no_tuple)),
            lane("three", &[&json, &protobuf], None),
            lane("four", &[&json], None),
            lane("five", &[&plain, &protobuf], Some(&uncompiled)),
        ];
        assert_eq!(
            missing_libraries(&lanes[..3], &options(&[])),
            [
                "dynamic instead of typed values of protobuf in the lanes one, three: no library has typed ones",
                "dynamic instead of typed values of json, protobuf in the lanes two: types do not hold a tuple",
            ]
        );
        assert_eq!(
            missing_libraries(&lanes[4..], &options(&[])),
            [
                "no types of the payloads in the lane five: code that does not compile",
                "dynamic instead of typed values of json, protobuf in the lanes five: they need types of the payloads",
            ]
        );
        let dynamic = Options { target: Some(ValueKind::Dynamic), ..options(&[]) };
        assert_eq!(missing_libraries(&lanes[4..], &dynamic), [] as [&str; 0]);
        assert_eq!(
            missing_libraries(&lanes[2..4], &dynamic),
            [
                "no protobuf library without generated types in the lanes four",
                "typed instead of dynamic values of json in the lanes three, four: no library has dynamic ones",
            ]
        );
    }
}
