//! The WebAssembly module: the functions that JavaScript calls.
//!
//! [`page`] has the functions of the page without a server. [`package`] has the functions of the
//! package `@manywire/core`, whose JavaScript (`packaging/npm/core`) gives them their names,
//! classes and types. [`values`] converts values in both directions.

pub mod package;
pub mod page;
pub mod values;
