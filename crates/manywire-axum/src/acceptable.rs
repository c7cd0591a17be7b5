use axum_core::extract::FromRequestParts;
use http::request::Parts;
use manywire::adapt::Terms;

use crate::WireRejection;

/// That the client would read an answer in some format and coding of the layer: 406 otherwise.
///
/// Which format an answer is in is known when it is written, and then it is too late to refuse
/// what has been done. [`Wire`](crate::Wire) as an argument looks beforehand; a handler that takes
/// no body and does what cannot be undone takes this:
///
/// ```
/// # use axum::extract::Path;
/// # use manywire::Shaped;
/// use manywire_axum::{Acceptable, Wire};
///
/// # #[derive(serde::Serialize, Shaped)]
/// # struct Cancelled { id: u64 }
/// async fn cancel(_: Acceptable, Path(id): Path<u64>) -> Wire<Cancelled> {
///     // …
///     Wire(Cancelled { id })
/// }
/// # drop(cancel);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Acceptable(());

impl<S: Send + Sync> FromRequestParts<S> for Acceptable {
    type Rejection = WireRejection;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, WireRejection> {
        let terms = parts.extensions.get::<Terms>().ok_or_else(WireRejection::no_layer)?;
        terms.acceptable(parts)?;
        Ok(Acceptable(()))
    }
}
