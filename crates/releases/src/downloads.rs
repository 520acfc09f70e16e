//! Where what can be had with a release lies, and addresses that go on behind another.

use crate::access::{self, Releases};
use crate::store::{self, links};
use ::store::Tx;
use kernel::error::Result;
use kernel::http::RequestContext;

/// Where the link of this path below a release leads.
pub fn find(tx: &mut Tx<'_>, here: &Releases, tag: &str, path: &str) -> Result<String> {
    let release = access::found(store::find(tx, here.project.id, tag)?)?;
    let path = format!("/{}", path.trim_start_matches('/'));
    let link = access::found(links::at_path(tx, release.id, &path)?)?;
    // A header holds what an address may.
    Ok(url::Url::parse(&link.url).map_or(link.url, String::from))
}

/// What stands behind a part of the address asked for, as it was sent.
pub fn suffix<'r>(request: &'r RequestContext, behind: &str) -> &'r str {
    request.uri.path().split_once(behind).map_or("", |(_, suffix)| suffix)
}

/// An address with the query of another one.
pub fn with_its_query(of: &str, to: &str) -> String {
    match of.split_once('?') {
        Some((_, query)) if !query.is_empty() => format!("{to}?{query}"),
        _ => to.to_owned(),
    }
}
