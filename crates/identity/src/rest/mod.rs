//! The REST API of users, tokens and settings (docs/interface/identity.md 4 and 5).

mod avatar;
mod emails;
mod impersonation;
mod me;
mod settings;
mod tokens;
mod users;

use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    users::routes(r);
    me::routes(r);
    avatar::routes(r);
    emails::routes(r);
    tokens::routes(r);
    impersonation::routes(r);
    settings::routes(r);
}

/// Scopes that may read users.
pub(crate) const READ_USER: &[&str] = &["api", "read_api", "read_user"];
