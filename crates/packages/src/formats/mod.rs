//! The formats: each is a folder or file with its routes, its parser and its
//! documents, and nothing else. What they share is above: [`crate::client`],
//! [`crate::declare`], [`crate::upload`], [`crate::download`],
//! [`crate::archive`], [`crate::documents`] and [`crate::store::index`].

pub mod composer;
pub mod conan;
pub mod generic;
pub mod golang;
pub mod helm;
pub mod maven;
pub mod npm;
pub mod nuget;
pub mod pypi;
pub mod terraform;

use crate::access::for_client;
use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    r.recovering(for_client, |r| {
        composer::routes(r);
        conan::routes(r);
        generic::routes(r);
        golang::routes(r);
        helm::routes(r);
        maven::routes(r);
        nuget::routes(r);
        pypi::routes(r);
        terraform::routes(r);
    });
    r.recovering(npm::for_client, npm::routes);
}
