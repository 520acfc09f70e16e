//! `/user/keys`, `/users/:id/keys`, `/keys`, `/deploy_keys`.

mod any;
mod deploy;
mod keys;

pub fn routes(r: &mut kernel::http::Routes) {
    keys::routes(r);
    any::routes(r);
    deploy::routes(r);
}
