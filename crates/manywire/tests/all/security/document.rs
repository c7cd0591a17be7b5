//! The security schemes and requirements of the OpenAPI document.

use manywire::content::Text;
use manywire::security::{Scheme, SecurityScheme, basic, bearer, key_in_header, key_in_query};
use manywire::{Api, Failure, Problem, get, scope};
use serde_json::{Value, json};

use super::service::AuthError;

#[derive(Debug, Failure)]
enum OrderError {
    /// Not yours
    #[failure(status = 403, type = "/problems/not-yours")]
    NotYours,
}

/// Lets every client in.
async fn any<C>(_: C) -> Result<(), Problem> {
    Ok(())
}

fn document(api: Api) -> Value {
    let documents = api.documents().expect("documents");
    serde_json::from_str(documents.openapi()).expect("JSON")
}

#[test]
fn names_schemes_and_requirements() {
    let token = bearer().with_format("JWT").with_description("of our identity provider");
    let orders = scope("/orders").secured(token, |_| async { Err::<(), _>(AuthError::NotAdmin) });
    let list = orders.get("").returns::<Text>().fails::<OrderError>();
    let either = get("/either").secured(basic("here").or(key_in_query("key")), any);
    let maybe = get("/maybe").secured(key_in_header("key").optional(), any);
    let api = Api::new("Orders")
        .serve(list.to(|()| async { Err::<String, _>(OrderError::NotYours) }))
        .serve(either.to(|_| async {}))
        .serve(maybe.to(|_| async {}))
        .serve(get("/open").to(|| async {}));
    let document = document(api);
    assert_eq!(
        document["components"]["securitySchemes"],
        json!({
            "bearer": {
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                "description": "of our identity provider",
            },
            "basic": {"type": "http", "scheme": "basic"},
            "key": {"type": "apiKey", "in": "query", "name": "key"},
            "key2": {"type": "apiKey", "in": "header", "name": "key"},
        })
    );
    let operation = |path: &str| &document["paths"][path]["get"];
    assert_eq!(operation("/orders")["security"], json!([{"bearer": []}]));
    assert_eq!(operation("/either")["security"], json!([{"basic": []}, {"key": []}]));
    assert_eq!(operation("/maybe")["security"], json!([{"key2": []}, {}]));
    assert_eq!(operation("/open")["security"], Value::Null);

    let responses = &operation("/orders")["responses"];
    let forbidden = &responses["403"];
    assert_eq!(forbidden["description"], "Not yours; Not an administrator");
    let types = forbidden.pointer("/content/application~1problem+json/schema/allOf/1/properties");
    let expected = json!({"type": {"enum": ["/problems/not-yours", "/problems/not-admin"]}});
    assert_eq!(types, Some(&expected));
    assert_eq!(
        operation("/either")["responses"]["401"]["$ref"],
        "#/components/responses/Unauthorized"
    );
    let unauthorized = &document["components"]["responses"]["Unauthorized"];
    assert_eq!(unauthorized["headers"]["www-authenticate"]["schema"]["type"], "string");
    assert_eq!(operation("/open")["responses"]["401"], Value::Null);
    // Credentials are described by their scheme and are no parameters.
    assert_eq!(operation("/maybe")["parameters"], Value::Null);
}

#[test]
fn describes_open_id_connect() {
    let scheme = SecurityScheme::open_id_connect("https://id.example/config");
    assert_eq!(scheme.name(), "openId");
}

#[test]
fn document_with_security_is_valid_by_the_official_schema() {
    let schema = include_str!("../openapi/openapi-3.1.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema compiles");
    let both = basic("here").or(bearer().with_format("JWT")).optional();
    let document = document(Api::new("A").serve(get("/a").secured(both, any).to(|()| async {})));
    let faults: Vec<String> =
        validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
