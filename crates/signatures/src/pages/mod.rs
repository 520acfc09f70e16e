//! One's GPG keys, and what pages say of signatures.

mod badge;
mod gpg_keys;

pub use badge::SignatureBadge;

pub fn routes(r: &mut kernel::http::Routes) {
    gpg_keys::routes(r);
}
