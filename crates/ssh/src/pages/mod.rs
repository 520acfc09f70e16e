//! One's SSH keys, and the deploy keys of a project.

mod deploy_keys;
mod own_keys;
mod views;

use kernel::error::{Error, Result};
use kernel::time::{Date, Timestamp, start_of};

pub fn routes(r: &mut kernel::http::Routes) {
    own_keys::routes(r);
    deploy_keys::routes(r);
}

/// When a key ends that ends on this day; none where nothing was typed.
fn ends_on(text: &str) -> Result<Option<Timestamp>> {
    match text.trim() {
        "" => Ok(None),
        text => match text.parse::<Date>() {
            Ok(day) => Ok(Some(start_of(day))),
            Err(_) => Err(Error::invalid("expires_at", "is not a date")),
        },
    }
}

/// What is said of the parts of a key beside the field that they are typed into.
fn beside_fields(error: Error) -> Error {
    let Error::Invalid(mut fields) = error else {
        return error;
    };
    fields.retain(|(name, _)| !name.starts_with("fingerprint"));
    Error::Invalid(fields)
}
