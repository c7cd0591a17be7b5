//! warp, a framework of filters: a service is one expression that tries the routes in order.

use std::convert::Infallible;
use std::sync::Arc;

use hyper::body::Incoming;
use tower_service::Service;
use warp::Filter;
use warp::reply::{Response, json};

use super::server::BODY_BYTES_MAX;
use crate::Scenario;
use crate::documents::{Person, SharedHotels, hotels};

pub(super) fn service(
    scenario: Scenario,
) -> impl Service<
    http::Request<Incoming>,
    Response = Response,
    Error = Infallible,
    Future: Send + 'static,
> + Clone
+ Send
+ 'static {
    let all = SharedHotels(Arc::new(hotels()));
    let body = || {
        warp::post()
            .and(warp::body::content_length_limit(BODY_BYTES_MAX as u64))
            .and(warp::body::json())
            .map(|person: Person| json(&person))
    };
    let echo = warp::path!("echo").and(body());
    let borrowed = warp::path!("lent").and(body());
    let list = warp::path!("hotels").and(warp::get()).map(move || json(&all));
    // Boxed filters of one type, because a thousand nested types compile too slowly.
    let tiny = (0..scenario.routes())
        .map(|route| {
            warp::path(format!("r{route}"))
                .and(warp::path::param::<String>())
                .and(warp::path::end())
                .and(warp::get())
                .boxed()
        })
        .reduce(|before, next| before.or(next).unify().boxed());
    let tiny = tiny.unwrap_or_else(|| warp::any().map(String::new).boxed());
    warp::service(echo.or(borrowed).or(list).or(tiny))
}
