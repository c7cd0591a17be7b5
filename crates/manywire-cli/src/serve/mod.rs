//! `manywire serve`: payload files as a service, a stand-in for one that does not exist yet.
//!
//! Values are read once, at the start, and stay in memory until the command ends. What they are in
//! each format is found out then, too: a format that cannot hold a payload as it is, is not
//! offered for it. Their bytes are made when somebody asks; those of small payloads are kept, those
//! of large ones are made again for each request, so that memory stays with the values themselves.

mod payload;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use manywire::content::dynamic::Dynamic;
use manywire::content::{Items, Type};
use manywire::{Api, Limits, Route, get};
use manywire_format::{Coding, FORMATS, Format};

use crate::arguments::Serve;
use crate::exit::{Exit, Refusal};
use crate::signals::Signals;
use crate::{input, output};
use payload::Payload;

/// How much memory the values of all payloads may take together whose bytes are kept: as much
/// again may then be kept for each of seven formats.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// How long answers may take to end once the command is told to: a client that has stopped reading
/// would hold it for ever.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// Serves until it is interrupted.
pub(crate) fn run(arguments: &Serve) -> Exit {
    Exit::of(prepare(arguments).and_then(|api| listen(api, &arguments.listen)))
}

/// Reads all there is to serve, and says how it is served.
fn prepare(arguments: &Serve) -> Result<Api, Refusal> {
    let paths = paths_of(&arguments.inputs)?;
    let schema = arguments.schema.as_deref();
    let schema =
        schema.map(|path| input::schema(path, arguments.message.as_deref())).transpose()?;
    let sources = arguments.inputs.iter().zip(paths).map(|(file, path)| {
        let (source, form) = input::source(file, arguments.from, None)?;
        Ok((path, source, form))
    });
    let sources = sources.collect::<Result<Vec<_>, Refusal>>()?;
    let mut payloads = Vec::with_capacity(sources.len());
    for (path, source, form) in sources {
        let payload = Payload::read(path, &source, form, schema.as_ref());
        payloads.push(payload.map_err(|error| (Exit::Failed, error.to_string()))?);
    }
    let formats = match &arguments.formats[..] {
        [] => FORMATS.iter().map(|row| row.format).collect(),
        wanted => wanted.to_vec(),
    };
    // The small ones first: how many are kept should not hang on their order.
    payloads.sort_by_key(|payload| payload.memory_bytes);
    let mut api = Api::new("manywire serve")
        .formats(formats.iter().copied())
        .limits(Limits::DEFAULT.with_shutdown_timeout(SHUTDOWN))
        .documented()
        .listing_paths();
    let mut kept_bytes = 0;
    for payload in payloads {
        kept_bytes += payload.memory_bytes;
        api = api.serve(route(payload, &formats, kept_bytes <= KEPT_BYTES_MAX)?);
    }
    Ok(api)
}

/// The endpoint of a payload, in all formats that hold it.
fn route(payload: Payload, formats: &[Format], keep: bool) -> Result<Route, Refusal> {
    let Payload { path, name, values, is_stream, shape, memory_bytes } = payload;
    // Time is short where values are many, and memory where they are very many.
    let at_once = if memory_bytes <= KEPT_BYTES_MAX { FORMATS.len() } else { 1 };
    let (held, refused) = payload::split(formats, &shape, values, is_stream, at_once);
    for (format, reason) in refused {
        eprintln!("{path}: not as {format}: {reason}");
    }
    if held.is_empty() {
        return Err((Exit::Failed, format!("{name}: none of the formats can hold it")));
    }
    let names: Vec<&str> = held.iter().map(|format| format.name()).collect();
    let count = match values.len() {
        _ if !is_stream => "a value".to_owned(),
        1 => "a stream of 1 value".to_owned(),
        count => format!("a stream of {count} values"),
    };
    eprintln!("{path}: {name}, {count}, as {}", names.join(", "));
    let endpoint = get(path).summary(name).formats(held);
    let ty = Type::from(shape);
    Ok(match values {
        [value] if !is_stream => {
            let value = Dynamic::new(*value);
            let value = if keep { value.kept() } else { value };
            endpoint.returns_shape(ty).to(move || {
                let value = value.clone();
                async move { value }
            })
        }
        values => endpoint.returns_items(ty).to(move || async move {
            Items::from_values(values.iter().map(|value| Dynamic::new(*value)))
        }),
    })
}

/// Listens, says where, and serves until the user or the system ends it.
fn listen(api: Api, address: &str) -> Result<Exit, Refusal> {
    let service = api.build().map_err(|error| (Exit::Failed, error.to_string()))?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| (Exit::Failed, format!("no threads to serve with: {error}")))?;
    runtime.block_on(async {
        let cannot = |error: io::Error| (Exit::Failed, format!("{address}: {error}"));
        let signals = Signals::heard();
        let server = service.bind(address).await.map_err(cannot)?;
        let _ = output::print(&format!("listening on http://{}\n", server.local_address()));
        let mut exit = Exit::Done;
        let ended = async { exit = signals.told().await };
        if let Err(error) = server.run_until(ended).await {
            eprintln!("warning: {error}");
        }
        Ok(exit)
    })
}

/// Where each file is served: at its name without the extensions of its coding and its format.
///
/// # Errors
/// Two files of one name, which no path would tell apart, or a file without a name.
fn paths_of(files: &[PathBuf]) -> Result<Vec<String>, Refusal> {
    let mut paths: Vec<String> = Vec::with_capacity(files.len());
    for file in files {
        let Some(stem) = stem(file) else {
            return Err((Exit::Usage, format!("{}: not the name of a file", file.display())));
        };
        let path = format!("/{}", segment(&stem));
        if let Some(other) = paths.iter().position(|known| *known == path) {
            let (first, second) = (files[other].display(), file.display());
            let message = format!("{first} and {second} would both be served at {path}");
            return Err((Exit::Usage, format!("{message}: rename one of them")));
        }
        paths.push(path);
    }
    Ok(paths)
}

fn stem(file: &Path) -> Option<String> {
    if file.as_os_str() == "-" {
        return Some("stdin".to_owned());
    }
    let is_coded = |extension: &str| Coding::from_extension(extension).is_some();
    let coded = file.extension().and_then(|extension| extension.to_str()).is_some_and(is_coded);
    let file = if coded { Path::new(file.file_stem()?) } else { file };
    Some(file.file_stem()?.to_string_lossy().into_owned())
}

/// A name as a segment of a path (RFC 3986, section 3.3).
fn segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
