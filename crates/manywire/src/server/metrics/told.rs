use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use manywire_codec::Result;

use super::{Metrics, Syntax};
use crate::content::{Content, Encode, Encoding, Media, Representation};
use crate::endpoint::{Route, get};

/// The metrics of an API, as an endpoint of it: they are there once it is built.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Told(Arc<OnceLock<Arc<Metrics>>>);

/// The media types, the preferred first: what every scraper reads, then what it has to ask for.
/// Prometheus asks with a parameter of its own, since version 3; names here need no escaping.
const MEDIA_TYPES: &[&str] = &[
    "text/plain;version=0.0.4;charset=utf-8",
    "application/openmetrics-text;version=1.0.0;charset=utf-8",
    "application/openmetrics-text;version=1.0.0;charset=utf-8;escaping=allow-utf-8",
];

impl Told {
    /// The endpoint.
    pub(in crate::server) fn route(&self, path: &str) -> Route {
        let told = self.clone();
        get(path).summary("Metrics of this service").returns::<Told>().to(move || {
            let told = told.clone();
            async move { told }
        })
    }

    /// Has it tell these.
    pub(in crate::server) fn tell(&self, metrics: &Arc<Metrics>) {
        self.0.get_or_init(|| Arc::clone(metrics));
    }
}

impl Content for Told {
    type Value = Told;

    fn media() -> Media {
        Media::OneOf(MEDIA_TYPES)
    }
}

impl Encode for Told {
    fn encode_ref(value: &Told, to: &mut Encoding<'_>) -> Result<Bytes> {
        let syntax = match to.representation {
            Representation::Named(0) => Syntax::Text,
            _ => Syntax::OpenMetrics,
        };
        Ok(value.0.get().map(|metrics| metrics.text(syntax)).unwrap_or_default().into())
    }
}
