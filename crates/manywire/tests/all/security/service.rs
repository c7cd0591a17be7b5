//! A service with users and roles, and requests to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use manywire::content::Text;
use manywire::input::{Body, Path, Secured};
use manywire::security::{Bearer, Secret, bearer};
use manywire::{Api, Endpoint, Failure, Format, Problem, Service, Shaped, get, post, scope};
use serde::{Deserialize, Serialize};

use crate::support::{TestResponse, request, send};

/// A token that must never be shown.
pub(super) const ADA: &str = "ada-secret-7";
/// The token of a user without the role.
pub(super) const BOB: &str = "bob-secret-8";

#[derive(Clone, Debug, PartialEq)]
pub(super) struct User {
    pub(super) name: &'static str,
    pub(super) is_admin: bool,
}

#[derive(Clone, Default)]
pub(super) struct Users {
    pub(super) lookups: Arc<AtomicUsize>,
}

impl Users {
    pub(super) async fn find(&self, token: &Secret) -> Result<User, AuthError> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        // A lookup takes time.
        tokio::task::yield_now().await;
        let users = [(ADA, "Ada", true), (BOB, "Bob", false)];
        let found = users.into_iter().find(|(known, ..)| token.matches(known));
        let (_, name, is_admin) = found.ok_or(AuthError::Unknown)?;
        Ok(User { name, is_admin })
    }
}

#[derive(Debug, PartialEq, Failure)]
pub(super) enum AuthError {
    /// Unknown token
    #[failure(status = 401, type = "/problems/unknown-token")]
    Unknown,
    /// Not an administrator
    #[failure(status = 403, type = "/problems/not-admin")]
    NotAdmin,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub(super) struct Order {
    pub(super) id: u64,
    pub(super) text: String,
}

/// An endpoint as a crate of clients and servers would share it.
pub(super) fn find() -> Endpoint<(Path<u64>,), Order, AuthError, Secured<Bearer>> {
    get("/orders/{id}").requires(bearer()).path::<u64>().returns::<Order>().fails::<AuthError>()
}

/// An endpoint with a body.
pub(super) fn create() -> Endpoint<(Body<Order>,), Text, Problem, Secured<Bearer>> {
    post("/orders").requires(bearer()).body::<Order>().returns::<Text>()
}

pub(super) fn service(users: Users) -> Service {
    let admin = scope("/admin")
        .with(users.clone())
        .secured(bearer(), |token, users| async move { users.find(&token).await })
        .authorize(|user, _users| async move {
            if user.is_admin { Ok(user) } else { Err(AuthError::NotAdmin) }
        });
    let count = admin.get("/lookups").returns::<u64>();
    let find = find().with(users.clone());
    let find = find.authorize(|token, users| async move { users.find(&token).await });
    let create = create().with(users);
    let create = create.authorize(|token, users| async move { users.find(&token).await });
    Api::new("Orders")
        .formats([Format::Json, Format::Cbor, Format::Protobuf])
        .serve(count.to(|user, users| async move {
            assert!(user.is_admin);
            users.lookups.load(Ordering::Relaxed) as u64
        }))
        .serve(find.to(|user, id, _users| async move {
            Ok(Order { id, text: format!("an order of {}", user.name) })
        }))
        .serve(create.to(|user, order, _users| async move {
            format!("{} ordered {}", user.name, order.text)
        }))
        .serve(get("/open").returns::<Text>().to(|| async { "open".to_owned() }))
        .build()
        .expect("a valid API")
}

pub(super) fn challenges(answer: &TestResponse) -> Vec<&str> {
    let fields = answer.headers.get_all("www-authenticate");
    fields.iter().map(|field| field.to_str().expect("text")).collect()
}

/// Sends a request with these header fields.
pub(super) async fn fetch(service: &Service, path: &str, fields: &[(&str, &str)]) -> TestResponse {
    send(service, request("GET", path, fields), "").await
}

pub(super) fn bearing(token: &str) -> String {
    format!("Bearer {token}")
}
