//! The OpenAPI document of formats that are not built in.

use serde_json::{Value, json};

use super::service::api;

#[test]
fn documents_the_formats_of_each_endpoint() {
    let documents = api().documents().unwrap_or_else(|error| panic!("{error}"));
    let document: Value = serde_json::from_str(documents.openapi()).expect("JSON");
    let types = |at: &str| -> Vec<String> {
        let content = document.pointer(at).and_then(Value::as_object);
        content.unwrap_or_else(|| panic!("{at}")).keys().cloned().collect()
    };
    let all =
        ["application/cbor", "application/json", "application/x-postcard;v=1", "application/yaml"];
    assert_eq!(sorted(types("/paths/~1hotels/post/requestBody/content")), all);
    assert_eq!(sorted(types("/paths/~1hotels/post/responses/201/content")), all);
    assert_eq!(types("/paths/~1only/get/responses/200/content"), ["application/yaml"]);
    let failed = sorted(types("/components/responses/Failed/content"));
    assert!(failed.contains(&"application/yaml".to_owned()), "{failed:?}");
    let schema =
        document.pointer("/paths/~1hotels/post/requestBody/content/application~1yaml/schema");
    assert_eq!(schema, Some(&json!({ "$ref": "#/components/schemas/Hotel" })));
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}
