//! The digits of JSON's integers beyond 64 bits, for visitors that receive the nearest double.
//!
//! serde_json passes an integer beyond 64 bits to a visitor as the nearest double, without its
//! text and its place. So the JSON codec looks up the text: it reads a document under [`watch`],
//! which tells whether [`OwnedValue`](crate::OwnedValue) or [`ValueSeed`](crate::ValueSeed) received
//! such a double. If so, and if the document has such integers, it reads the document once more and
//! provides both types with the texts ([`LongIntegers::provide`]). Other visitors receive the double,
//! as from serde_json.
//!
//! A text is found by its double. Numbers with different texts and one double, such as the integers
//! 2^64 + 1 and 2^64 + 2, cannot be told apart, so reading one of them is an error.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde::de;

/// The smallest magnitude of a double that may represent an integer beyond 64 bits: 2^63.
const MAGNITUDE_MIN: f64 = 9_223_372_036_854_775_808.0;

thread_local! {
    static STATE: Cell<State> = const { Cell::new(State::Idle) };
    static PROVIDED: RefCell<LongIntegers> = RefCell::default();
}

/// The state of the innermost reader of JSON on this thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No document is being read by our codec.
    Idle,
    /// A document is being read.
    Watching,
    /// A document is being read, and one of its doubles may represent an integer beyond 64 bits.
    Seen,
    /// A document is being read whose texts are provided.
    Providing,
}

/// Restores the state when a reader is done or panics.
struct Restore(State);

impl Restore {
    #[inline]
    fn after_setting(state: State) -> Self {
        Restore(STATE.replace(state))
    }
}

impl Drop for Restore {
    #[inline]
    fn drop(&mut self) {
        STATE.set(self.0);
    }
}

/// Reads with `read`, and returns its result and whether one of our types received a double that
/// may represent an integer beyond 64 bits.
#[inline]
pub fn watch<R>(read: impl FnOnce() -> R) -> (R, bool) {
    let _restore = Restore::after_setting(State::Watching);
    let result = read();
    (result, STATE.get() == State::Seen)
}

/// The numbers of a document whose nearest double may represent an integer beyond 64 bits, by the
/// bits of that double.
#[derive(Debug, Default)]
pub struct LongIntegers(HashMap<u64, Origin>);

/// The numbers of a document with one nearest double.
#[derive(Debug)]
enum Origin {
    /// Only fractions and numbers with an exponent. The text is that of the first of these numbers.
    Float(Box<str>),
    /// One integer.
    Integer(Box<str>),
    /// An integer and another number.
    Several(Box<str>, Box<str>),
}

impl LongIntegers {
    /// Adds a number in JSON's grammar if its nearest double may represent an integer beyond 64
    /// bits. Skips other numbers, integers that fit 64 bits, and numbers beyond the range of a
    /// double.
    pub fn add(&mut self, number: &str) {
        let is_integer = !number.contains(['.', 'e', 'E']);
        if is_integer && (number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok()) {
            return;
        }
        let Ok(double) = number.parse::<f64>() else { return };
        if !may_be(double) || double.is_infinite() {
            return;
        }
        let text = || Box::from(number);
        match self.0.entry(double.to_bits()) {
            Entry::Vacant(place) => {
                let origin = if is_integer { Origin::Integer } else { Origin::Float };
                place.insert(origin(text()));
            }
            Entry::Occupied(mut place) => match place.get_mut() {
                Origin::Integer(integer) if **integer != *number => {
                    let several = Origin::Several(std::mem::take(integer), text());
                    place.insert(several);
                }
                Origin::Float(float) if is_integer => {
                    let several = Origin::Several(text(), std::mem::take(float));
                    place.insert(several);
                }
                _ => {}
            },
        }
    }

    /// Returns true if the document has no integer beyond 64 bits.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(|origin| matches!(origin, Origin::Float(_)))
    }

    /// Calls `read`, which reads the document of these numbers, and provides our types with the
    /// texts of its integers meanwhile.
    pub fn provide<R>(self, read: impl FnOnce() -> R) -> R {
        /// Restores the previous texts when the reader is done or panics.
        struct TakeBack(LongIntegers);

        impl Drop for TakeBack {
            fn drop(&mut self) {
                PROVIDED.replace(std::mem::take(&mut self.0));
            }
        }

        let _restore = Restore::after_setting(State::Providing);
        let _take_back = TakeBack(PROVIDED.replace(self));
        read()
    }
}

/// Returns true if a double may represent an integer beyond 64 bits. Then call [`text_of`].
#[inline]
pub(crate) fn may_be(double: f64) -> bool {
    double.abs() >= MAGNITUDE_MIN
}

/// Returns the text of the integer beyond 64 bits that a visitor received as this double. Returns
/// `None` if the double is a float, or if no texts are provided. Under [`watch`], the function also
/// records that the texts are needed.
///
/// # Errors
///
/// Fails if several numbers of the document have this double, and one of them is such an integer.
#[cold]
#[inline(never)]
pub(crate) fn text_of<E: de::Error>(double: f64) -> Result<Option<Box<str>>, E> {
    match STATE.get() {
        State::Idle | State::Seen => Ok(None),
        State::Watching => {
            STATE.set(State::Seen);
            Ok(None)
        }
        State::Providing => PROVIDED.with_borrow(|integers| match integers.0.get(&double.to_bits()) {
            None | Some(Origin::Float(_)) => Ok(None),
            Some(Origin::Integer(text)) => Ok(Some(text.clone())),
            Some(Origin::Several(integer, other)) => Err(E::custom(format_args!(
                "cannot tell the integer {integer} from the number {other} in the same text: beyond \
                 64 bits, serde_json passes on only the nearest double, {double:e}; read a `Value` \
                 by `json::read_value`, or write the integer as a string"
            ))),
        }),
    }
}
