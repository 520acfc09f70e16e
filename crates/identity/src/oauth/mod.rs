//! OAuth 2.0 and OpenID Connect: applications act for users (docs/interface/identity.md 2).
//!
//! A request for consent is checked in [`request`], put to the user in
//! `authorize`, and answered with a code ([`codes`]); `token` exchanges codes,
//! refresh tokens, passwords and device codes ([`devices`]) for pairs of
//! tokens, which form families ([`families`]). Rules are functions over a
//! transaction that know no HTTP; refusals of the protocol are
//! [`refusal::Refusal`] and commit what was decided on the way.

pub mod applications;
mod authorize;
mod client;
mod codes;
mod cors;
mod device;
mod devices;
pub mod families;
#[cfg(any(test, fuzzing))]
pub mod hostile;
pub mod id_token;
mod inspect;
pub mod jobs;
mod keys;
mod limits;
mod openid;
pub mod pages;
mod pkce;
pub(crate) mod redirect;
pub mod refusal;
mod register;
mod request;
mod rest;
pub(crate) mod scopes;
mod sent;
pub mod settings;
mod token;
pub mod views;

use http::Method;
use kernel::http::Routes;
use kernel::http::routes::{Declared, Handler};
use kernel::jobs::RegistryBuilder;
use sha2::{Digest, Sha512};

pub fn routes(r: &mut Routes) {
    authorize::routes(r);
    token::routes(r);
    device::routes(r);
    inspect::routes(r);
    openid::routes(r);
    register::routes(r);
    rest::routes(r);
    pages::routes(r);
}

/// Declares an endpoint for programs, whose refusals are OAuth's and which
/// looks at credentials itself.
fn endpoint<'r, A, H: Handler<A>>(
    r: &'r mut Routes, method: Method, path: &str, handler: H,
) -> Declared<'r> {
    let declared = r.plain(method, path, handler);
    declared.refuses(refusal::unread).unchecked()
}

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add_periodic::<jobs::Sweep>(3_600);
    registry.add::<crate::tasks::TellReuse>();
}

/// What is stored of a token or code: its SHA-512. They are random, so no salt
/// or slow hash is needed.
pub(crate) fn digest(text: &str) -> Vec<u8> {
    Sha512::digest(text.as_bytes()).to_vec()
}

/// Whether a text has the shape of an OAuth token: 64 hex digits.
pub fn is_token(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
