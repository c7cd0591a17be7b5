use super::messages::manywire::payload;
#[allow(unused_imports, reason = "a root that is declared nowhere is a list of what is")]
use super::types::*;

/// The whole value.
pub(super) type LaneRoot = Root;

/// Its message.
pub(super) type LaneMessage = payload::Root;
