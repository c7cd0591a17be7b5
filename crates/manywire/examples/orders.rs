//! A shop of twelve endpoints: credentials and roles, constraints, failures with members, pages with
//! links, streams both ways, layers, and state. Clients choose the format of each response.
//!
//! ```text
//! cargo run --example orders
//! curl -s -u ada:lovelace -X POST http://127.0.0.1:8080/login
//! curl -s -H 'Authorization: Bearer token-of-ada' -d '{"sku":"TEA-1","amount":2}' \
//!   -H 'Content-Type: application/json' http://127.0.0.1:8080/orders
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manywire::content::Items;
use manywire::security::{Secret, UserAndPassword, basic, bearer};
use manywire::{
    Api, Failure, Format, InvalidApi, Problem, Reply, Service, Shaped, StatusCode, get, post, scope,
};
use serde::{Deserialize, Serialize};
use tower_http::cors::CorsLayer;

/// A product of the shop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Product {
    #[shaped(pattern = "^[A-Z]{3}-[0-9]+$")]
    sku: String,
    #[shaped(length = 1..=80)]
    name: String,
    /// The price in cents.
    #[shaped(min = 1)]
    price: u32,
    stock: u32,
}

/// An order as a customer sends it.
#[derive(Debug, Serialize, Deserialize, Shaped)]
struct NewOrder {
    sku: String,
    #[shaped(min = 1, max = 100)]
    amount: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Order {
    id: u64,
    by: String,
    sku: String,
    amount: u32,
    state: OrderState,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "lowercase")]
enum OrderState {
    Open,
    Sent,
}

/// The orders after one, and how many of them.
#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Page {
    after: Option<u64>,
    #[shaped(min = 1, max = 100)]
    limit: Option<u32>,
}

#[derive(Serialize, Deserialize, Shaped)]
struct Token {
    token: String,
}

#[derive(Clone, Debug, PartialEq)]
struct User {
    name: String,
    is_clerk: bool,
}

#[derive(Debug, PartialEq, Failure)]
enum AuthError {
    /// Unknown user or token
    #[failure(status = 401)]
    Unknown,
    /// Only for clerks
    #[failure(status = 403)]
    NotClerk,
}

#[derive(Debug, PartialEq, Failure)]
enum ShopError {
    /// Not found
    #[failure(status = 404)]
    NotFound(String),
    /// Out of stock
    #[failure(status = 409, type = "/problems/out-of-stock")]
    OutOfStock { left: u32 },
    /// Already sent
    #[failure(status = 409, type = "/problems/already-sent")]
    AlreadySent,
    #[failure(other)]
    Other(Problem),
}

/// The products and orders, which all handlers share.
#[derive(Default)]
struct Stock {
    products: BTreeMap<String, Product>,
    orders: BTreeMap<u64, Order>,
}

#[derive(Clone, Default)]
struct Shop(Arc<Mutex<Stock>>);

impl Shop {
    fn open(&self) -> MutexGuard<'_, Stock> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn user(name: &str) -> Result<User, AuthError> {
    match name {
        "ada" | "grace" => Ok(User { name: name.to_owned(), is_clerk: name == "grace" }),
        _ => Err(AuthError::Unknown),
    }
}

async fn by_password(given: UserAndPassword) -> Result<User, AuthError> {
    let user = user(&given.user)?;
    let password = if user.is_clerk { "hopper" } else { "lovelace" };
    if given.password.matches(password) { Ok(user) } else { Err(AuthError::Unknown) }
}

async fn by_token(token: Secret, _: Shop) -> Result<User, AuthError> {
    let name = ["ada", "grace"].into_iter().find(|it| token.matches(&format!("token-of-{it}")));
    name.map_or(Err(AuthError::Unknown), user)
}

async fn clerk(user: User, _: Shop) -> Result<User, AuthError> {
    if user.is_clerk { Ok(user) } else { Err(AuthError::NotClerk) }
}

async fn log_in(user: User) -> Token {
    Token { token: format!("token-of-{}", user.name) }
}

async fn list_products(shop: Shop) -> Vec<Product> {
    shop.open().products.values().cloned().collect()
}

async fn find_product(sku: String, shop: Shop) -> Result<Product, ShopError> {
    shop.open().products.get(&sku).cloned().ok_or(ShopError::NotFound(sku))
}

async fn store_product(_: User, sku: String, new: Product, shop: Shop) -> Result<(), ShopError> {
    if sku != new.sku {
        let detail = format!("the path says {sku}, the body {}", new.sku);
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY).with_detail(detail).into());
    }
    shop.open().products.insert(sku, new);
    Ok(())
}

fn order(user: &User, new: NewOrder, shop: &Shop) -> Result<Order, ShopError> {
    let mut stock = shop.open();
    let product = stock.products.get_mut(&new.sku);
    let product = product.ok_or_else(|| ShopError::NotFound(new.sku.clone()))?;
    let left = ShopError::OutOfStock { left: product.stock };
    product.stock = product.stock.checked_sub(new.amount).ok_or(left)?;
    let id = stock.orders.last_key_value().map_or(1, |(last, _)| last + 1);
    let (by, NewOrder { sku, amount }) = (user.name.clone(), new);
    let order = Order { id, by, sku, amount, state: OrderState::Open };
    stock.orders.insert(id, order.clone());
    Ok(order)
}

async fn create(user: User, new: NewOrder, shop: Shop) -> Result<Reply<Order>, ShopError> {
    let order = order(&user, new, &shop)?;
    let location = format!("/orders/{}", order.id);
    Ok(Reply::new(order).with_location(&location))
}

/// Returns a page of the customer's orders, with a link to the next one if there are more.
async fn list(user: User, page: Page, shop: Shop) -> Reply<Vec<Order>> {
    let limit = page.limit.unwrap_or(20);
    let stock = shop.open();
    let later = stock.orders.values().filter(|order| Some(order.id) > page.after);
    let mut own = later.filter(|order| order.by == user.name).cloned();
    let orders: Vec<Order> = own.by_ref().take(limit as usize).collect();
    match (orders.last().map(|order| order.id), own.next()) {
        (Some(last), Some(_)) => {
            let next = format!("/orders?after={last}&limit={limit}");
            Reply::new(orders).with_link("next", &next)
        }
        _ => Reply::new(orders),
    }
}

async fn find(user: User, id: u64, shop: Shop) -> Result<Order, ShopError> {
    let order = shop.open().orders.get(&id).cloned();
    let visible = order.filter(|order| user.is_clerk || order.by == user.name);
    visible.ok_or_else(|| ShopError::NotFound(id.to_string()))
}

async fn cancel(user: User, id: u64, shop: Shop) -> Result<(), ShopError> {
    let order = find(user, id, shop.clone()).await?;
    if order.state == OrderState::Sent {
        return Err(ShopError::AlreadySent);
    }
    shop.open().orders.remove(&id);
    Ok(())
}

async fn send(_: User, id: u64, shop: Shop) -> Result<Order, ShopError> {
    let mut stock = shop.open();
    let order = stock.orders.get_mut(&id).ok_or_else(|| ShopError::NotFound(id.to_string()))?;
    order.state = OrderState::Sent;
    Ok(order.clone())
}

/// Orders each product while the list still arrives.
async fn import(user: User, mut news: Items<NewOrder>, shop: Shop) -> Result<u64, ShopError> {
    let mut count = 0;
    while let Some(new) = news.next().await {
        order(&user, new?, &shop)?;
        count += 1;
    }
    Ok(count)
}

async fn export(_: User, shop: Shop) -> Items<Order> {
    let orders: Vec<Order> = shop.open().orders.values().cloned().collect();
    Items::from_values(orders)
}

fn service(shop: &Shop) -> Result<Service, InvalidApi> {
    let public = scope("").with(shop.clone());
    let customer = public.clone().secured(bearer(), by_token).tag("orders");
    let clerk = customer.clone().authorize(clerk).tag("clerks");

    Api::new("Shop")
        .license("MIT OR Apache-2.0")
        .documented()
        .formats([Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf])
        .serve(get("/health").summary("Returns nothing").to(|| async {}))
        .serve(
            post("/login")
                .secured(basic("shop"), by_password)
                .returns::<Token>()
                .summary("Logs in")
                .to(log_in),
        )
        .serve(
            public
                .get("/products")
                .returns::<Vec<Product>>()
                .summary("Lists products")
                .to(list_products),
        )
        .serve(
            public
                .get("/products/{sku}")
                .path::<String>()
                .returns::<Product>()
                .fails::<ShopError>()
                .summary("Finds a product")
                .to(find_product),
        )
        .serve(
            clerk
                .put("/products/{sku}")
                .path::<String>()
                .body::<Product>()
                .fails::<ShopError>()
                .summary("Stores a product")
                .to(store_product),
        )
        .serve(
            customer
                .post("/orders")
                .body::<NewOrder>()
                .status(201)
                .returns::<Order>()
                .fails::<ShopError>()
                .sends("location")
                .summary("Orders a product")
                .to(create),
        )
        .serve(
            customer
                .get("/orders")
                .query::<Page>()
                .returns::<Vec<Order>>()
                .sends("link")
                .summary("Lists the orders of a customer")
                .to(list),
        )
        .serve(
            customer
                .get("/orders/{id}")
                .path::<u64>()
                .returns::<Order>()
                .fails::<ShopError>()
                .summary("Finds an order")
                .to(find),
        )
        .serve(
            customer
                .delete("/orders/{id}")
                .path::<u64>()
                .fails::<ShopError>()
                .summary("Cancels an order")
                .to(cancel),
        )
        .serve(
            clerk
                .post("/orders/{id}/sent")
                .path::<u64>()
                .returns::<Order>()
                .fails::<ShopError>()
                .summary("Marks an order as sent")
                .to(send),
        )
        .serve(
            clerk
                .post("/imports")
                .body::<Items<NewOrder>>()
                .returns::<u64>()
                .fails::<ShopError>()
                .summary("Orders a stream of products")
                .to(import),
        )
        .serve(
            clerk
                .get("/exports")
                .returns::<Items<Order>>()
                .summary("Streams all orders")
                .to(export),
        )
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::default();
    let tea = Product { sku: "TEA-1".to_owned(), name: "Tea".to_owned(), price: 450, stock: 9 };
    shop.open().products.insert(tea.sku.clone(), tea);
    let server = service(&shop)?.layer(CorsLayer::permissive()).bind("127.0.0.1:8080").await?;
    println!("listening on http://{}", server.local_address());
    Ok(server.run().await?)
}

#[cfg(test)]
mod tests {
    use manywire::{CallError, Client};

    use super::*;

    fn client(format: Format) -> (Client, Shop) {
        let shop = Shop::default();
        let tea = Product { sku: "TEA-1".to_owned(), name: "Tea".to_owned(), price: 450, stock: 9 };
        shop.open().products.insert(tea.sku.clone(), tea);
        let service = service(&shop).expect("a valid API").layer(CorsLayer::permissive());
        (Client::of(service).formats([format]), shop)
    }

    fn of(client: &Client, name: &str) -> Client {
        let token = Secret::new(format!("token-of-{name}"));
        client.clone().credentials(&bearer(), token).expect("credentials")
    }

    fn tea(amount: u32) -> NewOrder {
        NewOrder { sku: "TEA-1".to_owned(), amount }
    }

    #[tokio::test]
    async fn orders_are_made_and_listed_page_by_page() {
        let create = post("/orders").requires(bearer()).body::<NewOrder>().returns::<Order>();
        let create = create.fails::<ShopError>();
        let list = get("/orders").requires(bearer()).query::<Page>().returns::<Vec<Order>>();
        for format in [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf] {
            let (client, _) = client(format);
            let ada = of(&client, "ada");
            for id in 1..=5 {
                let order = ada.fetch(&create, tea(1)).await.expect("an order");
                let location = order.header::<String>("location").expect("a location");
                assert_eq!((order.value().id, location), (id, format!("/orders/{id}")));
            }
            match ada.call(&create, tea(5)).await {
                Err(CallError::Failed(error)) => {
                    assert_eq!(error, ShopError::OutOfStock { left: 4 })
                }
                other => panic!("{other:?}"),
            }
            let first = Page { after: None, limit: Some(2) };
            let mut page = ada.fetch(&list, first).await.expect("the first page");
            let mut ids: Vec<u64> = page.value().iter().map(|order| order.id).collect();
            while let Some(next) = page.link("next").map(str::to_owned) {
                page = ada.follow(&list, &next).await.expect("the next page");
                ids.extend(page.value().iter().map(|order| order.id));
            }
            assert_eq!(ids, [1, 2, 3, 4, 5], "{format}");
        }
    }

    #[tokio::test]
    async fn credentials_roles_and_constraints_are_checked() {
        let (client, shop) = client(Format::Json);
        let create = post("/orders").requires(bearer()).body::<NewOrder>().returns::<Order>();
        let send = post("/orders/{id}/sent").requires(bearer()).path::<u64>().returns::<Order>();
        let status = |error| match error {
            CallError::<Problem>::Problem(problem) => problem,
            other => panic!("{other:?}"),
        };
        let refused = of(&client, "eve").call(&create, tea(1)).await.expect_err("no such user");
        assert_eq!(status(refused).status(), StatusCode::UNAUTHORIZED);
        let many = of(&client, "ada").call(&create, tea(101)).await.expect_err("too many");
        let problem = status(many);
        assert_eq!(problem.status(), StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(problem.errors()[0].detail(), "must be at most 100, got 101");
        let order = of(&client, "ada").call(&create, tea(1)).await.expect("an order");
        let forbidden = of(&client, "ada").call(&send, order.id).await.expect_err("no clerk");
        assert_eq!(status(forbidden).status(), StatusCode::FORBIDDEN);
        of(&client, "grace").call(&send, order.id).await.expect("a clerk");
        assert_eq!(shop.open().orders[&order.id].state, OrderState::Sent);
    }

    #[tokio::test]
    async fn lists_are_imported_and_exported_as_streams() {
        let (client, _) = client(Format::Cbor);
        let import = post("/imports").requires(bearer()).body::<Items<NewOrder>>().returns::<u64>();
        let export = get("/exports").requires(bearer()).returns::<Items<Order>>();
        let grace = of(&client, "grace");
        let news = Items::from_values((0..3).map(|_| tea(2)));
        assert_eq!(grace.call(&import, news).await.expect("three orders"), 3);
        let mut orders = grace.call(&export, ()).await.expect("a stream");
        let mut count = 0;
        while let Some(order) = orders.next().await {
            assert_eq!(order.expect("an order").amount, 2);
            count += 1;
        }
        assert_eq!(count, 3);
    }
}
