use manywire::content::Text;
use manywire::{Api, Route, get};

use super::Schemas;

impl Schemas {
    /// Endpoints that serve the files below `/schemas/`, each at the name that others import it by,
    /// so that imports are found from there.
    pub fn routes(&self) -> impl Iterator<Item = Route> + use<'_> {
        self.files().map(|(name, text)| route(&format!("/schemas/{name}"), text))
    }

    /// An API with these endpoints, too.
    pub fn serve_in(&self, api: Api) -> Api {
        self.routes().fold(api, Api::serve)
    }

    /// The root at a path of one's own. An API that is documented and speaks Protocol Buffers has
    /// the problem and its own types at `/schema.proto`; any other is free to have this there.
    pub fn root_at(&self, path: &str) -> Route {
        route(path, self.root())
    }
}

fn route(path: &str, text: &str) -> Route {
    let text = text.to_owned();
    get(path).returns::<Text>().to(move || {
        let text = text.clone();
        async move { text }
    })
}
