use bytes::Bytes;
use manywire_codec::Result;

use super::{DOCUMENT_PATH, Documents, PROTO_PATH};
use crate::content::{Content, Encode, Encoding, Media, Text};
use crate::endpoint::{Route, get};

/// JSON that is written already.
struct JsonText;

impl Content for JsonText {
    type Value = Bytes;

    fn media() -> Media {
        Media::Named("application/json")
    }
}

impl Encode for JsonText {
    fn encode_ref(value: &Bytes, _to: &mut Encoding<'_>) -> Result<Bytes> {
        Ok(value.clone())
    }
}

impl Documents {
    /// Endpoints that serve what is told.
    pub(crate) fn routes(self) -> Vec<Route> {
        let json = |path: &str, text: String| {
            let content = Bytes::from(text);
            get(path).returns::<JsonText>().to(move || {
                let content = content.clone();
                async move { content }
            })
        };
        let mut routes = vec![json(DOCUMENT_PATH, self.openapi)];
        if let Some(proto) = self.proto {
            routes.push(get(PROTO_PATH).returns::<Text>().to(move || {
                let proto = proto.clone();
                async move { proto }
            }));
        }
        for schema in self.avro {
            routes.push(json(&schema.path(), schema.text));
        }
        routes
    }
}
