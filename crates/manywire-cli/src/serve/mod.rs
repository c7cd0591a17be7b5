//! `manywire serve`: payload files as an HTTP service, a mock of a service that does not exist yet.
//!
//! All values are read at the start and stay in memory until the command ends. At the start, `serve`
//! also checks which formats can represent each payload; it offers only those. Bytes are encoded on
//! request. The bytes of small payloads are cached; those of large payloads are encoded again for each
//! request, so that memory use stays close to that of the values.

mod payload;

use std::path::{Path, PathBuf};
use std::time::Duration;

use manywire::content::dynamic::Dynamic;
use manywire::content::{Items, Type};
use manywire::{Api, Limits, Route, get};
use manywire_format::{Coding, FORMATS, Format};

use crate::arguments::{Serve, Web};
use crate::exit::{CommandError, Exit, failed, usage};
use crate::listen::listen;
use crate::{input, output};
use payload::Payload;

/// The memory limit for the values of payloads whose encoded bytes are cached. The cache may take as
/// much again for each of seven formats.
const CACHED_BYTES_MAX: usize = 64 << 20;

/// The time limit for open responses at shutdown: a client that has stopped reading would block it
/// for ever.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves until the command is interrupted.
pub(crate) fn run(arguments: &Serve) -> Exit {
    let address = &arguments.listen;
    let api = check_address(address).and_then(|()| prepare(arguments));
    Exit::of(api.and_then(|api| {
        listen(api, address, |address| {
            let _ = output::print(&format!("listening on http://{address}\n"));
        })
    }))
}

/// Checks that an address to listen on has a port. The system resolves its host later.
fn check_address(address: &str) -> Result<(), CommandError> {
    match address.rsplit_once(':').map(|(_, port)| port.parse::<u16>()) {
        Some(Ok(_)) => Ok(()),
        _ => Err(usage(format!(
            "--listen {address}: expected an address and a port up to 65535, such as 127.0.0.1:8080"
        ))),
    }
}

/// Reads all payloads, and returns the API that serves them.
fn prepare(arguments: &Serve) -> Result<Api, CommandError> {
    arguments.inputs.iter().try_for_each(|file| input::refuse_url(file, "serve"))?;
    let paths = url_paths(&arguments.inputs)?;
    let schema = arguments.schema.as_deref();
    let schema = schema.map(|path| input::schema(path, &arguments.reading)).transpose()?;
    let sources = arguments.inputs.iter().zip(paths).map(|(file, path)| {
        let (source, form) = input::source(file, arguments.from, None, &Web::default())?;
        Ok((path, source, form))
    });
    let sources = sources.collect::<Result<Vec<_>, CommandError>>()?;
    let mut payloads = Vec::with_capacity(sources.len());
    for (path, source, form) in sources {
        let payload = Payload::read(path, &source, form, schema.as_ref());
        payloads.push(payload.map_err(failed)?);
    }
    let formats = match &arguments.formats[..] {
        [] => FORMATS.iter().map(|row| row.format).collect(),
        wanted => wanted.to_vec(),
    };
    // Small payloads come first, so that the order of arguments does not decide which are cached.
    payloads.sort_by_key(|payload| payload.memory_bytes);
    let mut api = Api::new("manywire serve")
        .formats(formats.iter().copied())
        .limits(Limits::DEFAULT.with_shutdown_timeout(SHUTDOWN_TIMEOUT))
        .documented()
        .listing_paths();
    let mut cached_bytes = 0;
    for payload in payloads {
        cached_bytes += payload.memory_bytes;
        api = api.serve(route(payload, &formats, cached_bytes <= CACHED_BYTES_MAX)?);
    }
    Ok(api)
}

/// Returns the route of a payload, in all formats that can represent it.
fn route(payload: Payload, formats: &[Format], cache: bool) -> Result<Route, CommandError> {
    let Payload { path, name, values, is_stream, shape, tolerance, memory_bytes } = payload;
    // Checks formats in parallel to save time, but one by one for large payloads to save memory.
    let parallel_max = if memory_bytes <= CACHED_BYTES_MAX { FORMATS.len() } else { 1 };
    let (usable, refused) =
        payload::usable_formats(formats, &shape, values, tolerance, is_stream, parallel_max);
    for (format, reason) in refused {
        eprintln!("{path}: not served as {format}: {reason}");
    }
    if usable.is_empty() {
        return Err(failed(format!("{name}: none of the formats can represent the values")));
    }
    let names: Vec<&str> = usable.iter().map(|format| format.name()).collect();
    let count = match values.len() {
        _ if !is_stream => "a value".to_owned(),
        1 => "a stream of 1 value".to_owned(),
        count => format!("a stream of {count} values"),
    };
    eprintln!("{path}: {name}, {count}, as {}", names.join(", "));
    let endpoint = get(path).summary(name).formats(usable);
    let ty = Type::from(shape);
    Ok(match values {
        [value] if !is_stream => {
            let value = Dynamic::new(*value);
            let value = if cache { value.cached() } else { value };
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

/// Returns the URL path of each file: its name without the extensions of its coding and its format.
///
/// # Errors
/// Fails if two files have the same path, or a file has no name.
fn url_paths(files: &[PathBuf]) -> Result<Vec<String>, CommandError> {
    let mut paths: Vec<String> = Vec::with_capacity(files.len());
    for file in files {
        let Some(name_without_extensions) = name_without_extensions(file) else {
            return Err(usage(format!("{}: not the name of a file", file.display())));
        };
        let path = format!("/{}", path_segment(&name_without_extensions));
        if let Some(other) = paths.iter().position(|known| *known == path) {
            let (first, second) = (files[other].display(), file.display());
            let message = format!("{first} and {second} would both be served at {path}");
            return Err(usage(format!("{message}: rename one of them")));
        }
        paths.push(path);
    }
    Ok(paths)
}

fn name_without_extensions(file: &Path) -> Option<String> {
    if file.as_os_str() == "-" {
        return Some("stdin".to_owned());
    }
    let is_coded = |extension: &str| Coding::from_extension(extension).is_some();
    let coded = file.extension().and_then(|extension| extension.to_str()).is_some_and(is_coded);
    let file = if coded { Path::new(file.file_stem()?) } else { file };
    Some(file.file_stem()?.to_string_lossy().into_owned())
}

/// Percent-encodes a name as a segment of a path (RFC 3986, section 3.3).
fn path_segment(name: &str) -> String {
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
