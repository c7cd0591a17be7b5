//! The credentials of a client: those of each scheme, written once and sent to the endpoints that
//! require the scheme.

use std::fmt;
use std::sync::Arc;

use crate::input::InputWriter;
use crate::problem::{Fault, InputLocation};
use crate::security::{CredentialsWriter, Scheme, SecurityRequirement, SecurityScheme};

/// The credentials of a client, by scheme.
#[derive(Clone, Default)]
pub(super) struct ClientCredentials(Vec<(SecurityScheme, Arc<CredentialsWriter>)>);

impl ClientCredentials {
    /// Sets the credentials of a scheme.
    ///
    /// # Errors
    /// Fails if a request cannot hold the credentials, and for a scheme that is made of several.
    pub(super) fn set<S: Scheme>(
        &mut self,
        scheme: &S,
        credentials: &S::Credentials,
    ) -> Result<(), Box<Fault>> {
        let schemes = scheme.schemes();
        let [description] = schemes.as_slice() else {
            let detail = "give the credentials of one scheme, not of several joined by `or`";
            return Err(Box::new(Fault::new(InputLocation::Header, "", detail)));
        };
        let mut written = CredentialsWriter::default();
        scheme.write(credentials, &mut written)?;
        self.0.retain(|(known, _)| !known.is_same(description));
        self.0.push((description.clone(), Arc::new(written)));
        Ok(())
    }

    /// Writes the credentials that an endpoint requires: those of the first of its schemes for
    /// which the client has credentials. Writes nothing if there are none and they are optional.
    ///
    /// # Errors
    /// Fails if the endpoint requires credentials and there are none.
    pub(super) fn write(
        &self,
        requirement: &SecurityRequirement,
        writing: &mut InputWriter,
    ) -> Result<(), Box<Fault>> {
        let of = |scheme: &SecurityScheme| {
            let known = self.0.iter().find(|(known, _)| known.is_same(scheme));
            known.map(|(_, written)| written)
        };
        match requirement.schemes().iter().find_map(of) {
            Some(written) => {
                writing.add_credentials(written);
                Ok(())
            }
            None if requirement.is_optional() => Ok(()),
            None => Err(missing(requirement.schemes())),
        }
    }
}

/// Returns the error for an endpoint whose credentials the client does not have.
#[cold]
fn missing(schemes: &[SecurityScheme]) -> Box<Fault> {
    let names: Vec<&str> = schemes.iter().map(SecurityScheme::name).collect();
    let detail = format!(
        "the endpoint requires credentials of {}: set them by Client::credentials",
        names.join(" or ")
    );
    let name = schemes.iter().find_map(SecurityScheme::field).unwrap_or_default();
    Box::new(Fault::new(InputLocation::Header, name, detail))
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(scheme, _)| scheme.name())).finish()
    }
}
