//! Sending packuments and files.

use super::address::{self, Address};
use super::packument::{self, Form, Packument};
use super::{NPM, at_name, store};
use crate::client::Client;
use crate::documents::{Document, at_prefix};
use crate::forwarding;
use crate::scope::{Prefix, Scope, scope};
use crate::store::index;
use ::store::Tx;
use http::{HeaderValue, header};
use kernel::error::{Error, Found, Result};
use kernel::http::Response;

/// Answers for a path of a package.
pub async fn show(client: &Client, path: &str) -> Result<Response> {
    match (address::package(path), &client.prefix) {
        (Some(Address::Package(name)), _) => packument(client, &name).await,
        (Some(Address::File(name, file)), Prefix::Project(_)) => send(client, name, file).await,
        _ => Err(Error::NotFound("Package")),
    }
}

async fn packument(client: &Client, name: &str) -> Result<Response> {
    let form = Form::accepted(client.request.header(header::ACCEPT));
    if let Some(document) = find(client, name, form).await? {
        let mut response = document.reply(&client.request, form.content_type());
        let vary = HeaderValue::from_static("Accept, Origin");
        response.headers_mut().insert(header::VARY, vary);
        return Ok(response);
    }
    let path = name.replace('/', "%2f");
    let elsewhere = forwarding::elsewhere(client, NPM, name, &path).await?;
    elsewhere.found("Package")
}

async fn find(client: &Client, name: &str, form: Form) -> Result<Option<Document>> {
    let Some(client) = at_name(client, name) else {
        return Ok(None);
    };
    let (about, wanted) = ((NPM, name, form.name()), name.to_owned());
    let made = at_prefix(&client, about, move |tx, scope, client| {
        text(tx, scope, &wanted, form, client.app.base_url())
    });
    made.await
}

fn text(
    tx: &mut Tx<'_>, scope: &Scope, name: &str, form: Form, base_url: &str,
) -> Result<Option<Vec<u8>>> {
    let versions = scope.of_format(NPM).versions(tx, name)?;
    if versions.is_empty() {
        return Ok(None);
    }
    let tags = packument::tags(store::tags(tx, scope, name)?, &versions);
    let revision = match scope.project_id {
        Some(id) => revision(tx, id, name)?,
        None => "0".to_owned(),
    };
    let packument = Packument {
        name,
        versions: &versions,
        tags: &tags,
        revision: &revision,
        base_url,
    };
    packument.text(form).map(Some)
}

/// What the present state of a name in a project is called.
pub fn revision(tx: &mut Tx<'_>, project_id: i64, name: &str) -> Result<String> {
    Ok(index::stamp(tx, project_id, NPM, name)?.to_string())
}

async fn send(client: &Client, name: String, file_name: String) -> Result<Response> {
    let of = client.clone();
    let found = client.app.read_inline(move |tx| {
        let scope = scope(tx, &of.viewer, &of.prefix)?;
        let found = scope.of_format(NPM).newest_file(tx, &name, &file_name)?;
        found.found("Package")
    });
    client.send(&found.await?.file).await
}
