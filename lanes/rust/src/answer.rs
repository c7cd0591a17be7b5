//! Executes the requests of the contract.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use manywire_format::Coding;
use manywire_meter::{cpu_ns, wall_resolution_ns};
use manywire_shape::Shape;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::coder::{Batch, Operation, Payloads};
use crate::error::Result;
use crate::http::{Fetch, Offer, Server, Service, fetch, serve};
use crate::known::Known;
use crate::model::Model;
use crate::subject::{Subject, version};
use crate::subjects;

/// A request.
#[derive(Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
enum Request {
    Describe,
    Schema {
        model: Option<Model>,
        avro: Option<String>,
        shape: Shape,
    },
    Load {
        subject: usize,
    },
    Digest {
        subject: usize,
    },
    Encode {
        subject: usize,
    },
    Run {
        subject: usize,
        #[serde(flatten)]
        batch: Batch,
    },
    Memory {
        subject: usize,
        operation: Operation,
    },
    Serve {
        offers: Vec<Offer>,
    },
    Served,
    Fetch {
        subject: usize,
        #[serde(flatten)]
        fetch: Fetch,
    },
}

/// Returns the number of frames that follow a request, even if the request is invalid otherwise;
/// `None` if it is unknown, and so the start of the next request.
pub(crate) fn following(request: &Json) -> Option<u64> {
    match (request["verb"].as_str(), &request["payloads"]) {
        (Some("schema"), _) => Some(1),
        (_, Json::Null) => Some(0),
        (_, count) => count.as_u64(),
    }
}

/// The state between requests.
pub(crate) struct Lane {
    subjects: Vec<Subject>,
    known: Known,
    loaded: HashMap<usize, Arc<dyn Payloads>>,
    server: Server,
    service: Option<Service>,
}

/// A response and the frames that follow it.
type Answer = (Json, Vec<Vec<u8>>);

impl Lane {
    pub(crate) fn new(server: Server) -> Lane {
        Lane {
            subjects: subjects::all(),
            known: Known::default(),
            loaded: HashMap::new(),
            server,
            service: None,
        }
    }

    /// Returns the frames of the response. A panic of a library is an error response.
    pub(crate) fn reply(&mut self, request: Json, frames: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(request, frames)));
        let answer = answer.unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!("panic: {}", words.unwrap_or("no message")).into())
        });
        let (head, following) = match answer {
            Ok((answer, following)) => (json!({ "ok": answer }), following),
            Err(why) => (json!({ "error": why.to_string() }), Vec::new()),
        };
        std::iter::once(head.to_string().into_bytes()).chain(following).collect()
    }

    fn answer(&mut self, request: Json, frames: Vec<Vec<u8>>) -> Result<Answer> {
        let nothing = || (json!({}), Vec::new());
        Ok(match Request::deserialize(request)? {
            Request::Describe => (self.describe(), Vec::new()),
            Request::Schema { model, avro, shape } => {
                self.known = Known::new(model, avro, shape);
                nothing()
            }
            Request::Load { subject } => {
                self.loaded.remove(&subject);
                let of = self.subjects.get(subject);
                let of = of.ok_or_else(|| format!("no subject {subject}"))?;
                self.loaded.insert(subject, (of.load)(&self.known, frames)?);
                nothing()
            }
            Request::Digest { subject } => {
                (json!({ "digests": self.at(subject)?.digests()? }), Vec::new())
            }
            Request::Encode { subject } => {
                let written = self.at(subject)?.encode()?;
                (json!({ "payloads": written.len() }), written)
            }
            Request::Run { subject, batch } => {
                let ran = self.at(subject)?.run(&batch)?;
                (serde_json::to_value(ran)?, Vec::new())
            }
            Request::Serve { offers } => (json!({ "port": self.serve(offers)? }), Vec::new()),
            Request::Served => (self.served()?, Vec::new()),
            Request::Fetch { subject, fetch: arguments } => {
                fetch(Arc::clone(self.at(subject)?), arguments)?
            }
            Request::Memory { subject, operation } => {
                let allocated = self.at(subject)?.memory(operation)?;
                (serde_json::to_value(allocated)?, Vec::new())
            }
        })
    }

    fn serve(&mut self, offers: Vec<Offer>) -> Result<u16> {
        if self.service.is_some() {
            return Err("the server is already running".into());
        }
        let offers = offers.into_iter().map(|offer| {
            let stock = Arc::clone(self.at(offer.subject)?).stock()?;
            Ok((offer, stock))
        });
        let offers = offers.collect::<Result<_>>()?;
        Ok(self.service.insert(serve(self.server, offers)?).port)
    }

    fn served(&self) -> Result<Json> {
        let service = self.service.as_ref().ok_or("the server is not running")?;
        let requests = service.answered();
        Ok(json!({ "requests": requests, "cpu_ns": cpu_ns(), "collections": null }))
    }

    fn at(&self, subject: usize) -> Result<&Arc<dyn Payloads>> {
        let found = self.loaded.get(&subject);
        Ok(found.ok_or_else(|| format!("subject {subject} has no payloads"))?)
    }

    fn describe(&self) -> Json {
        let subjects: Vec<Json> = self.subjects.iter().map(Subject::describe).collect();
        let zeromq = format!("zeromq {}", version("zeromq"));
        // If this process serves over ZeroMQ, another one serves over HTTP with the default.
        let http = match self.server {
            Server::Zeromq => Server::Manywire,
            by_http => by_http,
        };
        json!({
            "contract": 1,
            "lane": "rust",
            "runtime": format!("Rust {}", env!("LANE_COMPILER")),
            "clock_resolution_ns": wall_resolution_ns(),
            "codings": Coding::ALL.map(Coding::name),
            "http": { "server": http.name(), "client": "hyper-util", "codings": ["gzip"] },
            "zeromq": { "server": zeromq, "client": zeromq, "codings": ["gzip"] },
            "subjects": subjects,
        })
    }
}
