//! `manywire play`: a page on loopback that shows a payload in every format.
//!
//! The page is in `manywire-playground`, embedded in the program. The page requests views and
//! measurements from the endpoints here, which respond in the format that its `Accept` field names,
//! as any endpoint of the library does. Only the user's own browser can send requests: the server
//! listens on loopback, each start has a random token in the path of all URLs, and requests of
//! other sites are refused (`guard`). Nothing is written to disk, and nothing leaves the machine.

mod guard;
mod weighing;

use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use manywire::content::{Items, NoContent, Raw};
use manywire::{
    Api, Format, HeaderName, HeaderValue, Limits, Problem, Reply, Route, StatusCode, header, scope,
};
use manywire_format::Form;
use manywire_playground::{
    InvalidRequest, PAGE, PAYLOAD_BYTES_MAX, PageFile, Start, View, ViewRequest,
};
use manywire_tools::payload::Source;

use crate::arguments::Play;
use crate::detect::{HEAD_BYTES, check_named, check_unnamed};
use crate::exit::{CommandError, Exit, failed};
use crate::input;
use crate::listen::listen;
use crate::output;
use guard::LocalRequest;
use weighing::{WeighEvent, Weighings};

/// The policy of the page: its own script and style sheet, its own endpoints, and reports in a frame.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; frame-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// The policy of a report: only the page of this command may show it in a frame. The report itself
/// contains a stricter policy for everything else.
const REPORT_POLICY: &str = "frame-ancestors 'self'";

/// The maximum length of a request in bytes: that of a payload in base64, or in a JSON string in which
/// each character is escaped.
const BODY_BYTES_MAX: usize = 3 * PAYLOAD_BYTES_MAX;

/// The time limit for open responses at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves the page until the command is interrupted.
pub(crate) fn run(arguments: &Play) -> Exit {
    Exit::of(start(arguments).and_then(|start| {
        let token = token()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port)).to_string();
        listen(api(&token, start), &address, |address| show_page(arguments, address, &token))
    }))
}

/// Reads the file of the command line.
fn start(arguments: &Play) -> Result<Start, CommandError> {
    let mut start = Start::default();
    if let Some(path) = &arguments.input {
        input::refuse_url(path, "play")?;
        let request = read(path, arguments.from)?;
        // A file that cannot be shown is an error here and not in the browser.
        View::of(&request).map_err(|error| failed(format!("{}: {error}", path.display())))?;
        start.name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        start.request = Some(request);
    }
    Ok(start)
}

/// Reads a file, or standard input for `-`. The form is that of the arguments or of the extension;
/// without both it is detected. A name that contradicts the content is an error.
fn read(path: &Path, from: Option<Form>) -> Result<ViewRequest, CommandError> {
    let form = from.or(Form::of_path(path).0);
    let source = Source::new(path);
    let bytes = source.bytes().map_err(failed)?;
    if from.is_none() {
        let (name, head) = (source.name(), &bytes[..bytes.len().min(HEAD_BYTES)]);
        let whole = head.len() == bytes.len();
        let checked = match form {
            Some(form) => check_named(&name, form, head, whole),
            None => check_unnamed(&name, head, whole),
        };
        checked.map_err(failed)?;
    }
    Ok(match String::from_utf8(bytes) {
        // Files named `.json` may have one value or lines; `.ndjson` and `.jsonl` name lines.
        Ok(text)
            if from.is_none() && form.is_none_or(|form| form == Form::single(Format::Json)) =>
        {
            ViewRequest { text: Some(text), ..ViewRequest::default() }
        }
        Ok(text) => ViewRequest::of_bytes(text.as_bytes(), form),
        Err(error) => ViewRequest::of_bytes(error.as_bytes(), form),
    })
}

/// Returns a new random token of 128 bits.
fn token() -> Result<String, CommandError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| failed(format!("the system has no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the API: the page, its endpoints and the reports, all below the token.
fn api(token: &str, start: Start) -> Api {
    let weighings = Weighings::default();
    let local = scope(format!("/{token}")).input(LocalRequest);
    let initial = local.get("/start").returns::<Start>().to(move |()| {
        let start = start.clone();
        async move { start }
    });
    let view = local.post("/view").body::<ViewRequest>().returns::<View>();
    let view = view.to(|(), request: ViewRequest| async move {
        // A large payload takes seconds, in which this thread could serve no other request.
        tokio::task::spawn_blocking(move || View::of(&request).map_err(|error| problem(&error)))
            .await
            .map_err(Problem::internal)?
    });
    let weigh = local.post("/weigh").body::<ViewRequest>().returns::<Items<WeighEvent>>();
    let started = weighings.clone();
    let weigh = weigh.to(move |(), request: ViewRequest| {
        let events = started.start(request);
        async move { events }
    });
    let report = local.get("/report/{number}").path::<u64>().returns::<Raw>();
    let report = report.to(move |(), number| {
        let page = weighings.report(number);
        async move {
            let page = page.ok_or_else(|| Problem::new(StatusCode::NOT_FOUND))?;
            Ok::<_, Problem>(file(page.into(), "text/html; charset=utf-8", REPORT_POLICY))
        }
    });
    let icon = local.get("/favicon.ico").returns::<NoContent>().to(|()| async {});
    let limits = Limits::DEFAULT
        .with_body_bytes(BODY_BYTES_MAX)
        .with_decoded_bytes(BODY_BYTES_MAX)
        .with_shutdown_timeout(SHUTDOWN_TIMEOUT);
    let api = Api::new("manywire play")
        .formats([Format::Json, Format::MsgPack, Format::Cbor])
        .limits(limits);
    let api = PAGE.iter().fold(api, |api, page| api.serve(page_route(token, page)));
    api.serve(initial).serve(view).serve(weigh).serve(report).serve(icon)
}

fn page_route(token: &str, page: &'static PageFile) -> Route {
    let endpoint = scope(format!("/{token}")).input(LocalRequest).get(&format!("/{}", page.path));
    endpoint.returns::<Raw>().to(|()| async {
        file(Bytes::from_static(page.content.as_bytes()), page.media_type, PAGE_POLICY)
    })
}

/// Returns the response for a file of the page. The token is part of the URL, so no other site may see
/// it as a referrer and no cache may keep it.
fn file(content: Bytes, media_type: &'static str, policy: &'static str) -> Reply<Bytes> {
    let fields: [(HeaderName, &'static str); 5] = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    fields.into_iter().fold(Reply::new(content), |reply, (name, value)| {
        reply.with_header(name, HeaderValue::from_static(value))
    })
}

fn problem(error: &InvalidRequest) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY).with_detail(error.to_string())
}

/// Prints the URL of the page, and opens it if the user is at a terminal.
fn show_page(arguments: &Play, address: SocketAddr, token: &str) {
    let url = format!("http://{address}/{token}/");
    let _ = output::print(&format!("{url}\n"));
    if !arguments.no_open
        && io::stdout().is_terminal()
        && let Err(error) = open::that_detached(&url)
    {
        eprintln!("note: no browser could be started ({error}): open the address above");
    }
}
