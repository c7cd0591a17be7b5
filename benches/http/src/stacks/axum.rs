//! axum, the most used framework.

use std::sync::Arc;

use axum::extract::Path;
use axum::routing::{get, post};
use axum::{Json, Router};

use crate::Scenario;
use crate::documents::{Person, SharedHotels, hotels};

pub(super) fn router(scenario: Scenario) -> Router {
    let all = SharedHotels(Arc::new(hotels()));
    let mut router = Router::new()
        .route("/echo", post(async |Json(person): Json<Person>| Json(person)))
        .route("/lent", post(async |Json(person): Json<Person>| Json(person)))
        .route(
            "/hotels",
            get(move || {
                let all = all.clone();
                async move { Json(all) }
            }),
        );
    for route in 0..scenario.routes() {
        router = router.route(&format!("/r{route}/{{id}}"), get(async |Path(id): Path<String>| id));
    }
    router
}
