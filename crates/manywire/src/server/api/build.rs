use std::sync::Arc;

use http::StatusCode;

use super::{Api, InvalidApi};
use crate::codings;
use crate::content::own::AnyFormat;
use crate::content::{Media, misnamed};
use crate::endpoint::{Piece, Route, pieces};
use crate::input::Described;
use crate::negotiate::CodingOffers;
use crate::numbers::{NUMBERED, Numbers};
use crate::openapi::types_in;
use crate::problem::{Place, ProblemFormats, ProblemWriter};
use crate::server::core::{Core, Served};
use crate::server::index::Index;
#[cfg(feature = "metrics")]
use crate::server::measured::Metrics;
use crate::server::operation::{Operation, ServedBy};
use crate::server::service::Service;

impl Api {
    /// Builds the index and compiles what every format needs for every type.
    ///
    /// # Errors
    /// All that is wrong with the endpoints, each by its method and path.
    pub fn build(mut self) -> Result<Service, InvalidApi> {
        let mut faults = Vec::new();
        for coding in self.codings.iter().filter(|coding| !codings::is_compiled_in(**coding)) {
            faults.push(format!("{coding} was not compiled in: enable its feature of manywire"));
        }
        let numbers = self.numbers().unwrap_or_else(|broken| {
            faults.extend(broken);
            Numbers::default()
        });
        if numbers.messages().is_none()
            && faults.is_empty()
            && !types_in(&NUMBERED, &self.routes, &self.formats).is_empty()
        {
            tracing::warn!(
                api = self.name,
                "nothing keeps the numbers and places of fields from moving when types change: \
                 check in the .proto that the API documents, and give it to schema_lock"
            );
        }
        for formats in self.routes.iter().filter_map(|route| route.head.formats.as_deref()) {
            faults.extend(misnamed(formats));
        }
        faults.extend(misnamed(&self.formats));
        faults.dedup();
        let of_endpoints: Vec<AnyFormat> = self
            .routes
            .iter()
            .filter_map(|route| route.head.formats.as_deref())
            .flatten()
            .copied()
            .collect();
        let problem_formats = ProblemFormats::new(&self.formats, &of_endpoints);
        let problems = match ProblemWriter::new(problem_formats.clone(), &numbers) {
            Ok(problems) => Some(problems),
            Err(error) => {
                faults.push(error.to_string());
                None
            }
        };
        if self.is_documented {
            match self.documents_with(&numbers) {
                Ok(documents) => self.routes.extend(documents.routes()),
                Err(fault) => faults.push(fault),
            }
        }
        #[cfg(feature = "metrics")]
        if let Some((path, told)) = &self.told {
            self.routes.push(told.route(path));
        }
        let served_by =
            ServedBy { numbers: &numbers, problems: &problem_formats, untyped: self.untyped };
        let mut index = Index::default();
        let mut served = Vec::with_capacity(self.routes.len());
        for route in self.routes {
            let place = format!("{} {}", route.head.method, route.head.pattern);
            let added = compile(&route, &self.formats, &served_by).and_then(|operation| {
                index.add(&route.head.method, &route.head.pattern, served.len()).map(|()| operation)
            });
            match added {
                Ok(operation) => {
                    served.push(Served { operation: Arc::new(operation), handler: route.handler })
                }
                Err(fault) => faults.push(format!("{place}: {fault}")),
            }
        }
        let (Some(problems), true) = (problems, faults.is_empty()) else {
            return Err(InvalidApi { name: self.name, faults });
        };
        let coding_offers = CodingOffers::new(self.codings.iter().map(|coding| coding.name()));
        let paths = if self.lists_paths { index.paths() } else { Vec::new() };
        #[cfg(feature = "metrics")]
        let metrics = self.told.map(|(_, told)| {
            let metrics = Arc::new(Metrics::new(&served, problems.names().collect()));
            told.tell(&metrics);
            metrics
        });
        let core = Core {
            index,
            served,
            paths,
            problems,
            codings: self.codings,
            coding_offers,
            coded_bytes_min: self.coded_bytes_min,
            limits: self.limits,
            trailing_slash: self.trailing_slash,
            entity_tags: self.entity_tags,
            #[cfg(feature = "metrics")]
            metrics,
        };
        Ok(Service { core: Arc::new(core) })
    }
}

/// One endpoint, or what is wrong with it.
fn compile(
    route: &Route,
    formats: &[AnyFormat],
    served: &ServedBy<'_>,
) -> Result<Operation, String> {
    let pieces = pieces(&route.head.pattern)?;
    let named = pieces.iter().filter(|piece| matches!(piece, Piece::Capture(_))).count();
    let is_path =
        |input: &&Described| matches!(input, Described::Parameter { place: Place::Path, .. });
    let taken = route.inputs.iter().filter(is_path).count();
    if named != taken {
        return Err(format!(
            "the path names {named} segments and the endpoint takes {taken}: \
             add `.path::<T>()` for each"
        ));
    }
    let bodies = route.inputs.iter().filter(|input| matches!(input, Described::Body(_))).count();
    if bodies > 1 {
        return Err(format!("a request has one body, and the endpoint takes {bodies}"));
    }
    let status = match (route.head.status, &route.returns) {
        (Some(status), _) => StatusCode::from_u16(status)
            .ok()
            .filter(|status| !status.is_informational())
            .ok_or_else(|| format!("{status} is no status of an answer (200 to 599)"))?,
        (None, Media::Nothing) => StatusCode::NO_CONTENT,
        (None, _) => StatusCode::OK,
    };
    let formats = route.head.formats.as_deref().unwrap_or(formats);
    if formats.is_empty() {
        return Err("no format is listed: name one by `.formats([Format::Json])`".to_owned());
    }
    Operation::new(route, status, formats, served).map_err(|error| error.to_string())
}
