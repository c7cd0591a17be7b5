//! Avro: our plan and serde_avro_fast, single data without a container.

use manywire_codec::avro::Plan;
use manywire_shape::{Shape, Shaped, avro};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_avro_fast::ser::SerializerConfig;

use super::case::{Case, leak};
use crate::Subject;
use crate::documents::Documents;

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    typed(subjects, "people", documents.people, true);
    typed(subjects, "hotels", documents.hotels, true);
    // The two libraries represent a sum type by different unions.
    typed(subjects, "record-a", documents.record_a, false);
}

fn typed<T: Shaped + Serialize + DeserializeOwned + PartialEq>(
    subjects: &mut Vec<Subject>,
    document: &'static str,
    value: &'static T,
    with_peer: bool,
) {
    let schema = avro::Schema::from_shape(&Shape::of::<T>()).expect("the documents are Avro");
    let plan: &'static Plan = Box::leak(Box::new(Plan::new(&schema).expect("the plan compiles")));
    let bytes = leak(plan.to_vec(value).expect("encoding succeeds"));
    let case = Case { document, format: "avro", value, bytes };
    case.library(
        subjects,
        "manywire",
        |value| plan.to_vec(value),
        |value, out| plan.encode(value, out),
        |bytes| plan.decode(bytes),
    );
    if with_peer {
        let schema: serde_avro_fast::Schema =
            schema.to_string().parse().expect("the schema is valid");
        let schema: &'static serde_avro_fast::Schema = Box::leak(Box::new(schema));
        let config = || std::cell::RefCell::new(SerializerConfig::new(schema));
        let (fresh, reused) = (config(), config());
        case.library(
            subjects,
            "serde_avro_fast",
            move |value| serde_avro_fast::to_datum_vec(value, &mut fresh.borrow_mut()),
            move |value, out| {
                serde_avro_fast::to_datum(value, out, &mut reused.borrow_mut()).map(|_| ())
            },
            |bytes| serde_avro_fast::from_datum_slice(bytes, schema),
        );
    }
    case.floors(subjects);
}
