//! What each wire format costs on a user's own payloads.
