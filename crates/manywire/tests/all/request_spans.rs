//! The tracing span of each request, with format, coding, bytes and time, and the handler's log
//! events inside it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use manywire::content::{Items, Text};
use manywire::{Api, Format, Service, get};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::{self, request};

type Fields = BTreeMap<&'static str, String>;

/// The recorded spans and events.
#[derive(Debug, Default)]
struct Recorded {
    spans: Vec<(&'static str, Fields)>,
    entered: Vec<u64>,
    /// The message of each event, with its span.
    events: Vec<(String, Option<u64>)>,
}

#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Recorded>>);

impl Recorder {
    /// Returns everything that was recorded, as text.
    pub(crate) fn recorded(&self) -> String {
        format!("{:?}", self.0.lock().expect("not poisoned"))
    }
}

struct Reader<'f>(&'f mut Fields);

impl Visit for Reader<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "manywire" || metadata.target() == module_path!()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut recorded = self.0.lock().expect("not poisoned");
        let mut fields = Fields::new();
        span.record(&mut Reader(&mut fields));
        recorded.spans.push((span.metadata().name(), fields));
        Id::from_u64(recorded.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut recorded = self.0.lock().expect("not poisoned");
        values.record(&mut Reader(&mut recorded.spans[span.into_u64() as usize - 1].1));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Reader(&mut fields));
        let mut recorded = self.0.lock().expect("not poisoned");
        let parent = event.parent().map(Id::into_u64);
        let span = parent.or_else(|| recorded.entered.last().copied());
        recorded.events.push((fields.remove("message").unwrap_or_default(), span));
    }

    fn enter(&self, span: &Id) {
        self.0.lock().expect("not poisoned").entered.push(span.into_u64());
    }

    fn exit(&self, _: &Id) {
        self.0.lock().expect("not poisoned").entered.pop();
    }
}

fn service() -> Service {
    let text = get("/text").returns::<Text>().to(|| async {
        tracing::info!("begun");
        tokio::task::yield_now().await;
        tracing::info!("went on");
        "words ".repeat(400)
    });
    let items = get("/items").returns::<Items<u8>>().to(|| async { Items::from_values(0..3) });
    let api = Api::new("Traced").formats([Format::Json, Format::Cbor]);
    api.serve(text).serve(items).build().expect("a valid API")
}

async fn send(path: &str, fields: &[(&str, &str)]) -> usize {
    support::send(&service(), request("GET", path, fields), "").await.body.len()
}

#[tokio::test]
async fn records_each_request_as_a_span_with_its_response() {
    let listener = Recorder::default();
    let listening = tracing::subscriber::set_default(listener.clone());
    let coded_bytes = send("/text?secret=1", &[("accept-encoding", "gzip")]).await;
    send("/items", &[("accept", "application/cbor-seq")]).await;
    send("/nothing", &[("accept", "application/cbor")]).await;
    drop(listening);

    let recorded = listener.0.lock().expect("not poisoned");
    assert!(recorded.entered.is_empty(), "every entered span was exited");
    let [text, items, nothing] = &recorded.spans[..] else {
        panic!("three spans, not {:?}", recorded.spans)
    };
    for (name, fields) in [text, items, nothing] {
        assert_eq!(*name, "request");
        assert_eq!(fields["method"], "GET");
        assert!(fields["elapsed_us"].parse::<u64>().is_ok());
    }
    let of = |span: &(&'static str, Fields), name| span.1.get(name).cloned();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(of(text, "path"), some("/text"), "the query may contain secrets");
    assert_eq!(of(text, "status"), some("200"));
    assert_eq!(of(text, "format"), some("text/plain; charset=utf-8"));
    assert_eq!(of(text, "coding"), some("gzip"));
    assert_eq!(of(text, "bytes"), some(&coded_bytes.to_string()));
    assert_eq!(of(items, "format"), some("application/cbor-seq"));
    assert_eq!(
        (of(items, "coding"), of(items, "bytes")),
        (None, None),
        "the size of a stream is unknown"
    );
    assert_eq!(of(nothing, "status"), some("404"));
    assert_eq!(of(nothing, "format"), some("application/problem+cbor"));

    let in_text: Vec<&str> = recorded
        .events
        .iter()
        .filter(|(_, span)| *span == Some(1))
        .map(|(message, _)| message.as_str())
        .collect();
    assert_eq!(in_text, ["begun", "went on", "responded"]);
}
