//! Inputs of any length, and many values in a row.
//!
//! Only one value is held at a time, with what has been read behind it.

mod sequence;
mod single;
mod window;

use std::io::{self, Read};

use manywire_format::{Form, Format, Framing};

pub(crate) use window::Window;

use crate::avro::Container;
use crate::trail::{Origin, Part, Trail};
use crate::{Event, Options, Role, Summary, run};

use sequence::Sequence;

/// Goes through the bytes of an input, however long it is, and says what each of them is.
///
/// Memory is bounded by the greatest value of a stream, the greatest block of a container file. Of
/// an input that is [one value](Framing::Single) in JSON, MessagePack or CBOR no more is held than
/// its longest token and the open containers; a BSON document, a message and a datum of Avro are
/// held whole.
///
/// # Errors
///
/// Those of reading, and of nothing else.
pub fn walk_from(
    input: &mut dyn Read,
    form: Form,
    options: Options<'_>,
    sink: &mut dyn FnMut(Event<'_>),
) -> io::Result<Summary> {
    let mut window = Window::new(input, options.read_size);
    if form.framing == Framing::Single {
        let can_pause = single::can_pause(form.format);
        let enough = |held: usize| can_pause && held > options.held_max;
        while !(window.is_last() || enough(window.bytes().len())) {
            window.extend()?;
        }
        if !window.is_last() {
            return single::walk(form.format, &mut window, options, sink);
        }
        return Ok(run(form.format, window.bytes(), Origin::default(), options, sink));
    }
    let summary = if form.framing == Framing::Container {
        Container::new(options).walk(&mut window, sink)?
    } else {
        Sequence::new(form, options).walk(&mut window, sink)?
    };
    with_rest(summary, form.format, &mut window, options, sink)
}

/// Reports what a walk has left, as much at a time as is held.
fn with_rest(
    mut summary: Summary,
    format: Format,
    window: &mut Window<'_>,
    options: Options<'_>,
    sink: &mut dyn FnMut(Event<'_>),
) -> io::Result<Summary> {
    loop {
        let length = window.bytes().len();
        if length > 0 {
            let origin = Origin { base: window.offset(), ..Origin::default() };
            let mut trail = Trail::new(window.bytes(), origin, format, options, &mut *sink);
            trail.plain(0..length, Role::Unread, format_args!("unread"));
            summary.add(&trail.end().summary);
            window.pass(length);
        }
        if window.is_last() || !window.extend()? {
            return Ok(summary);
        }
    }
}

impl Origin {
    /// The part of an input that the window begins with.
    pub(crate) fn at(window: &Window<'_>, part: Part) -> Self {
        Origin { base: window.offset(), inside: None, part }
    }
}
