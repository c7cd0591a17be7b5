//! The stand-in for `page` without the feature, so that callers need no `cfg`.

use super::info::Info;
use crate::endpoint::Route;

/// The stand-in for the page of an API. There is no page.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocsPage(());

impl DocsPage {
    pub(crate) fn routes(self, _: &Info) -> Vec<Route> {
        Vec::new()
    }
}
