//! typeway, the most similar framework: an API is a type.

use std::sync::{Arc, OnceLock};

use typeway::prelude::*;
use typeway::{RouterService, bind, typeway_path};

use super::server::BODY_BYTES_MAX;
use crate::documents::{Person, SharedHotels, hotels};

typeway_path!(type EchoPath = "echo");
typeway_path!(type LentPath = "lent");
typeway_path!(type HotelsPath = "hotels");
typeway_path!(type TinyPath = "r0" / String);

type Bench = (
    PostEndpoint<EchoPath, Json<Person>, Json<Person>>,
    PostEndpoint<LentPath, Json<Person>, Json<Person>>,
    GetEndpoint<HotelsPath, Json<SharedHotels>>,
    GetEndpoint<TinyPath, String>,
);

async fn echo(person: Json<Person>) -> Json<Person> {
    person
}

async fn all() -> Json<SharedHotels> {
    static ALL: OnceLock<SharedHotels> = OnceLock::new();
    Json(ALL.get_or_init(|| SharedHotels(Arc::new(hotels()))).clone())
}

async fn tiny(path: Path<TinyPath>) -> String {
    let (id,) = path.0;
    id
}

pub(super) fn service() -> RouterService {
    Server::<Bench>::new((
        bind::<_, _, _>(echo),
        bind::<_, _, _>(echo),
        bind::<_, _, _>(all),
        bind::<_, _, _>(tiny),
    ))
    .max_body_size(BODY_BYTES_MAX)
    .into_service()
}
