//! Failures with fields, header fields and other problems: as a server writes them in every format,
//! as a client reads them, and as the document describes them.

use std::net::Ipv4Addr;

use http::{Request, StatusCode};
use manywire::content::{Items, NoContent};
use manywire::input::Path;
use manywire::{Api, CallError, Endpoint, Failure, Format, Problem, Service, Shaped, get, post};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{self, TestResponse, client, listening};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Lot {
    from: Ipv4Addr,
    amounts: Vec<i64>,
    note: Option<String>,
}

#[derive(Debug, PartialEq, Failure)]
enum OrderError {
    /// Out of stock
    #[failure(status = 409, type = "/problems/out-of-stock")]
    OutOfStock {
        left: u32,
        #[failure(detail)]
        why: String,
        lot: Lot,
        ratio: f64,
        note: Option<String>,
        #[failure(name = "max-age")]
        r#type: Vec<bool>,
    },
    /// Too many orders
    #[failure(status = 429)]
    TooMany {
        #[failure(header = "Retry-After")]
        seconds: u32,
        #[failure(header = "x-scope")]
        scope: Option<String>,
    },
    /// Moved
    #[failure(status = 410)]
    Moved {
        #[failure(header = "location")]
        to: String,
    },
    #[failure(other)]
    Other(Problem),
}

fn out_of_stock(note: Option<&str>) -> OrderError {
    OrderError::OutOfStock {
        left: 3,
        why: "only three are left".to_owned(),
        lot: Lot {
            from: Ipv4Addr::LOCALHOST,
            amounts: vec![-1, 0, 1 << 40],
            note: note.map(str::to_owned),
        },
        ratio: 0.1,
        note: note.map(str::to_owned),
        r#type: vec![true, false],
    }
}

fn order() -> Endpoint<(Path<u32>,), NoContent, OrderError> {
    post("/orders/{id}").path::<u32>().returns::<NoContent>().fails::<OrderError>()
}

fn api() -> Api {
    let sum = post("/sum").body::<Items<u8>>().formats([Format::Json]);
    let sum = sum.returns::<u64>().fails::<OrderError>();
    Api::new("Orders")
        .formats(Format::ALL)
        .serve(order().to(|id| async move {
            Err::<(), _>(match id {
                0 => out_of_stock(None),
                1 => out_of_stock(Some("tea")),
                2 => OrderError::TooMany { seconds: 60, scope: None },
                3 => OrderError::TooMany { seconds: 1, scope: Some("you".to_owned()) },
                4 => OrderError::Moved { to: "/elsewhere".to_owned() },
                _ => Problem::new(StatusCode::IM_A_TEAPOT).with_instance("/pots/1").into(),
            })
        }))
        .serve(sum.to(|mut items| async move {
            let mut sum = 0;
            while let Some(item) = items.next().await {
                sum += u64::from(item?);
            }
            Ok::<u64, OrderError>(sum)
        }))
}

fn service() -> Service {
    api().build().unwrap_or_else(|error| panic!("{error}"))
}

async fn send(path: &str, body: &'static str) -> (TestResponse, Value) {
    let request = Request::post(path).header("content-type", "application/x-ndjson");
    let response = support::send(&service(), request, body).await;
    let problem = response.json();
    (response, problem)
}

#[tokio::test]
async fn fields_are_members_of_the_problem() {
    let (response, problem) = send("/orders/0", "").await;
    assert_eq!(response.status, 409);
    assert_eq!(
        problem,
        json!({
            "type": "/problems/out-of-stock", "title": "Out of stock", "status": 409,
            "detail": "only three are left", "left": 3, "ratio": 0.1, "max-age": [true, false],
            "lot": {"from": "127.0.0.1", "amounts": [-1, 0, 1_u64 << 40], "note": null},
        })
    );
    let (_, problem) = send("/orders/1", "").await;
    assert_eq!(problem["note"], "tea");
}

#[tokio::test]
async fn fields_are_header_fields_of_the_response() {
    let (response, problem) = send("/orders/2", "").await;
    assert_eq!(response.headers["retry-after"], "60");
    assert!(!response.headers.contains_key("x-scope"));
    assert_eq!(problem, json!({"type": "about:blank", "title": "Too many orders", "status": 429}));
    let (response, _) = send("/orders/4", "").await;
    assert_eq!(response.status, 410);
    assert_eq!(response.headers["location"], "/elsewhere");
}

#[tokio::test]
async fn other_problems_pass_with_their_own_status() {
    let (response, problem) = send("/orders/9", "").await;
    assert_eq!(response.status, 418);
    assert_eq!(problem["instance"], "/pots/1");
    // A fault in a stream that the handler reads.
    let (response, problem) = send("/sum", "1\n300\n").await;
    assert_eq!(response.status, 422);
    assert_eq!(problem["errors"][0]["path"], "$[1]");
}

#[tokio::test]
async fn a_client_gets_the_failure_in_every_format() {
    let address = listening(service()).await;
    for format in Format::ALL {
        let client = client(address).formats([format]).retries(0);
        for (id, expected) in [
            (0, out_of_stock(None)),
            (1, out_of_stock(Some("tea"))),
            (2, OrderError::TooMany { seconds: 60, scope: None }),
            (3, OrderError::TooMany { seconds: 1, scope: Some("you".to_owned()) }),
            (4, OrderError::Moved { to: "/elsewhere".to_owned() }),
        ] {
            match client.call(&order(), id).await {
                Err(CallError::Failed(failure)) => assert_eq!(failure, expected, "{format}"),
                other => panic!("{format}: {other:?}"),
            }
        }
        match client.call(&order(), 9).await {
            Err(CallError::Problem(problem)) => {
                assert_eq!(
                    (problem.status(), problem.instance()),
                    (StatusCode::IM_A_TEAPOT, Some("/pots/1"))
                );
            }
            other => panic!("{format}: {other:?}"),
        }
        // A client that does not know the failure still has the members.
        let plain = post("/orders/{id}").path::<u32>().returns::<NoContent>();
        match client.call(&plain, 0).await {
            Err(CallError::Problem(problem)) => {
                assert_eq!(problem.member("left"), Some(3), "{format}");
                assert_eq!(problem.member::<String>("left"), None, "{format}");
                assert_eq!(problem.member::<Option<u32>>("right"), Some(None), "{format}");
            }
            other => panic!("{format}: {other:?}"),
        }
    }
}

#[test]
fn a_problem_without_the_members_of_a_failure_is_another() {
    let kind = OrderError::KINDS[0];
    assert_eq!(OrderError::from_problem(&kind.problem()), None);
    let wrong = out_of_stock(None).problem().with_member("left", "three");
    assert_eq!(OrderError::from_problem(&wrong), None);
    assert_eq!(OrderError::from_problem(&out_of_stock(None).problem()), Some(out_of_stock(None)));
}

#[test]
fn the_type_of_a_detail_may_be_given_to_a_macro() {
    macro_rules! failures {
        ($name:ident($ty:ty)) => {
            #[derive(Debug, PartialEq, Failure)]
            enum $name {
                /// Not found
                #[failure(status = 404)]
                NotFound($ty),
                /// Gone
                #[failure(status = 410)]
                Gone {
                    #[failure(detail)]
                    why: $ty,
                },
            }
        };
    }
    failures!(LookupError(String));
    for failure in [
        LookupError::NotFound("no order 7".to_owned()),
        LookupError::Gone { why: "order 7 was deleted".to_owned() },
    ] {
        assert_eq!(LookupError::from_problem(&failure.problem()), Some(failure));
    }
}

#[test]
fn invalid_members_and_fields_are_left_out() {
    let problem = Problem::new(StatusCode::CONFLICT)
        .with_member("status", &1)
        .with_member("by", &std::collections::BTreeMap::from([((1, 2), 3)]))
        .with_member("big", &u128::MAX)
        .with_field("retry after", &5)
        .with_field("Retry-After", &6);
    assert_eq!(problem.status(), 409);
    assert_eq!(problem.field::<u8>("retry-after"), Some(6));
    assert_eq!(problem.member::<Value>("by"), Some(Value::Null));
    assert_eq!(
        serde_json::to_string(&problem).expect("JSON"),
        r#"{"type":"about:blank","title":"Conflict","status":409,"big":340282366920938463463374607431768211455}"#
    );
}

#[test]
fn the_document_describes_members_and_header_fields() {
    #[derive(Debug, Failure)]
    enum Closed {
        /// Closed
        #[failure(status = 409, type = "/problems/closed")]
        Closed { until: String, by: Option<u8> },
        /// Busy
        #[failure(status = 503)]
        Busy {
            #[failure(header = "retry-after")]
            seconds: u32,
        },
    }
    let closed = get("/closed").returns::<u8>().fails::<Closed>();
    let api = api()
        .formats([Format::Json])
        .serve(closed.to(|| async { Err::<u8, _>(Closed::Busy { seconds: 1 }) }));
    let documents = api.documents().expect("documents");
    let document: Value = serde_json::from_str(documents.openapi()).expect("JSON");
    let schema = |path: &str, method: &str, status: &str| {
        let response = &document["paths"][path][method]["responses"][status];
        (
            response.clone(),
            response["content"]["application/problem+json"]["schema"]["allOf"][1].clone(),
        )
    };
    let (_, closed) = schema("/closed", "get", "409");
    assert_eq!(
        closed,
        json!({
            "properties": {
                "type": {"enum": ["/problems/closed"]},
                "until": {"type": "string"},
                "by": {"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255},
            },
            "required": ["until"],
        })
    );
    let (busy, _) = schema("/closed", "get", "503");
    assert_eq!(busy["headers"], json!({"retry-after": {"schema": {"type": "string"}}}));
    // Any other problem may have this status, too, without these members.
    let (_, open) = schema("/orders/{id}", "post", "409");
    assert_eq!(open["properties"]["left"]["maximum"], u32::MAX);
    assert_eq!((&open["properties"]["type"], &open["required"]), (&Value::Null, &Value::Null));
}
