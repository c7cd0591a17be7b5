//! The bytes of a payload in each format, plain and compressed.

use manywire_codec::coding::Encoder;
use manywire_format::{Coding, CodingLevel, FORMATS, Form, Format, Framing};
use manywire_shape::fidelity::Loss;
use serde::Serialize;

use crate::conversion::ConvertOptions;
use crate::{Error, Payload};

/// The codings whose sizes are counted, at their default levels.
const CODINGS: [Coding; 3] = [Coding::Gzip, Coding::Zstd, Coding::Brotli];

/// The bytes of a payload in one format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FormatSizes {
    /// The name of the format.
    pub format: &'static str,
    /// The name of the form: of one value, or of a stream.
    pub form: &'static str,
    /// The number of bytes, if the format can represent the values.
    pub bytes: Option<usize>,
    /// The numbers of bytes in each content coding.
    pub coded: Vec<CodedSize>,
    /// The values that were replaced, because the format cannot represent them.
    pub losses: Vec<Loss>,
    /// The number of losses that are not listed.
    pub losses_unlisted: u64,
    /// The reason why the format cannot represent the values at all.
    pub refused: Option<Refusal>,
}

/// A number of bytes in a content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CodedSize {
    /// The name of the coding.
    pub coding: &'static str,
    /// The level.
    pub level: u8,
    /// The number of bytes.
    pub bytes: usize,
}

/// The reason why a format cannot represent the values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The path to the value that cannot be represented.
    pub path: String,
    /// The reason.
    pub message: String,
}

/// Counts the bytes of a payload in each format. In the payload's own format, the bytes of the
/// payload count as they are.
///
/// # Errors
/// Fails for a payload that cannot be read.
pub fn sizes(payload: Payload<'_>) -> Result<Vec<FormatSizes>, Error> {
    let opened = payload.open()?;
    let values = opened.each(&mut |_| {})?;
    let framed = !matches!(opened.form.framing, Framing::Single | Framing::Container);
    let is_stream = framed || values != 1;
    let rows = FORMATS.iter().map(|row| {
        let mut sizes = FormatSizes {
            format: row.name,
            form: opened.form.name(),
            bytes: None,
            coded: Vec::new(),
            losses: Vec::new(),
            losses_unlisted: 0,
            refused: None,
        };
        if row.format == opened.form.format {
            return sizes.with_bytes(&opened.bytes);
        }
        let stream = Form::stream_of(row.format).filter(|_| is_stream);
        let to = stream.unwrap_or(Form::single(row.format));
        sizes.form = to.name();
        match opened.convert(ConvertOptions { lossy: true, ..ConvertOptions::to(to) }) {
            Ok((mut converted, _)) => {
                if to == Form::single(Format::Json) {
                    // The line feed after the value is for files.
                    converted.bytes.pop_if(|last| *last == b'\n');
                }
                sizes.losses = converted.losses;
                sizes.losses_unlisted = converted.losses_unlisted;
                sizes.with_bytes(&converted.bytes)
            }
            Err(error) => {
                let path = error.path.unwrap_or_else(|| "$".to_owned());
                sizes.refused = Some(Refusal { path, message: error.message });
                Ok(sizes)
            }
        }
    });
    rows.collect()
}

impl FormatSizes {
    fn with_bytes(mut self, bytes: &[u8]) -> Result<FormatSizes, Error> {
        self.bytes = Some(bytes.len());
        let coded = CODINGS.iter().map(|&coding| {
            let level = CodingLevel::from(coding);
            let mut out = Vec::new();
            let encoded = Encoder::new(level).and_then(|mut it| it.encode(bytes, &mut out));
            encoded.map_err(|error| Error::of_codec(&error, None))?;
            Ok(CodedSize { coding: coding.name(), level: level.level(), bytes: out.len() })
        });
        self.coded = coded.collect::<Result<_, Error>>()?;
        Ok(self)
    }
}
