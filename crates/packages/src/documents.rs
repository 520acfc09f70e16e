//! Documents made of many rows (packuments, indexes), made once for each
//! change of the name they are about.
//!
//! Access is checked on every request; only the making is saved. The stamp of
//! the name is read in the same snapshot as its rows, so a document is never
//! older than what it is kept for.

use crate::access::authorize;
use crate::client::Client;
use crate::keys::name_key;
use crate::model::PackageType;
use crate::scope::{Prefix, Scope};
use crate::store::index;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use kernel::error::{Error, Result};
use kernel::http::RequestContext;
use kernel::http::conditional::matches_etag;
use kernel::http::reply::{self, Response};
use kernel::ids::Reference;
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use spaces::access::Purpose;
use store::Tx;

/// Bytes of all documents kept.
const ROOM: u64 = 64 * 1024 * 1024;
/// What an entry takes besides its bytes.
const OVERHEAD: usize = 256;

/// Which document of a server it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    project_id: i64,
    package_type: PackageType,
    name: String,
    form: &'static str,
}

/// A document as it goes out.
#[derive(Clone)]
pub struct Document {
    stamp: i64,
    body: Bytes,
    tag: HeaderValue,
}

struct Documents(Cache<Key, Document>);

impl Default for Documents {
    fn default() -> Documents {
        let weight = |key: &Key, document: &Document| {
            let bytes = document.body.len() + key.name.len() + OVERHEAD;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        Documents(Cache::builder().max_capacity(ROOM).weigher(weight).build())
    }
}

pub struct About<'a> {
    pub project: &'a Reference,
    pub package_type: PackageType,
    pub name: &'a str,
    /// Which of the format's documents about the name.
    pub form: &'static str,
}

/// The document about a name in a project, as it was made before or made anew.
/// `make` returns `None` where there is nothing to tell.
pub async fn of_name(
    client: &Client, about: About<'_>,
    make: impl FnOnce(&mut Tx<'_>, &Scope) -> Result<Option<Vec<u8>>> + Send + 'static,
) -> Result<Option<Document>> {
    kept_by(client, about, index::stamp, make).await
}

/// The document about a name at the client's prefix: a project's as [`of_name`]
/// has it, others made anew, since many names may change them.
pub async fn at_prefix(
    client: &Client, (package_type, name, form): (PackageType, &str, &'static str),
    make: impl FnOnce(&mut Tx<'_>, &Scope, &Client) -> Result<Option<Vec<u8>>> + Send + 'static,
) -> Result<Option<Document>> {
    if let Prefix::Project(project) = &client.prefix {
        let about = About { project, package_type, name, form };
        let of = client.clone();
        let make = move |tx: &mut Tx<'_>, scope: &Scope| make(tx, scope, &of);
        return of_name(client, about, make).await;
    }
    client.read(make).await?.map(Document::made).transpose()
}

/// The same for a document about all names of a format; `about` names which.
pub async fn of_format(
    client: &Client, about: About<'_>,
    make: impl FnOnce(&mut Tx<'_>, &Scope) -> Result<Option<Vec<u8>>> + Send + 'static,
) -> Result<Option<Document>> {
    let stamp: Stamp =
        |tx, project, package_type, _| index::stamp_of_format(tx, project, package_type);
    kept_by(client, about, stamp, make).await
}

/// What changes with all that a document in a project is made of.
type Stamp = fn(&mut Tx<'_>, i64, PackageType, &str) -> Result<i64>;

async fn kept_by(
    client: &Client, about: About<'_>, stamp: Stamp,
    make: impl FnOnce(&mut Tx<'_>, &Scope) -> Result<Option<Vec<u8>>> + Send + 'static,
) -> Result<Option<Document>> {
    let (viewer, reference) = (client.viewer.clone(), about.project.clone());
    let (package_type, name, form) = (about.package_type, about.name.to_owned(), about.form);
    let documents = client.app.kept::<Documents>();
    let read = client.app.read(move |tx| {
        let project = authorize(tx, &viewer, &reference, Purpose::ReadPackages)?.project;
        let stamp = stamp(tx, project.id, package_type, &name)?;
        let key = Key {
            project_id: project.id,
            package_type,
            name: name_key(package_type, &name),
            form,
        };
        if let Some(kept) = documents.0.get(&key).filter(|kept| kept.stamp == stamp) {
            return Ok(Some(kept));
        }
        let Some(body) = make(tx, &Scope::of_project(project.id))? else {
            return Ok(None);
        };
        let document = Document::new(stamp, body)?;
        documents.0.insert(key, document.clone());
        Ok(Some(document))
    });
    read.await
}

impl Document {
    fn new(stamp: i64, body: Vec<u8>) -> Result<Document> {
        let digest = hex::encode(&Sha256::digest(&body)[..16]);
        let tag = HeaderValue::from_str(&format!("\"{digest}\"")).map_err(Error::internal)?;
        Ok(Document { stamp, body: body.into(), tag })
    }

    /// A document made for one answer, such as a group's.
    pub fn made(body: Vec<u8>) -> Result<Document> {
        Document::new(0, body)
    }

    /// The answer that carries it, or 304 to who has it.
    pub fn reply(self, request: &RequestContext, content_type: &'static str) -> Response {
        if matches_etag(request, Some(&self.tag)) {
            let mut response = reply::empty(StatusCode::NOT_MODIFIED);
            response.headers_mut().insert(header::ETAG, self.tag);
            return response;
        }
        let mut response = http::Response::new(axum::body::Body::from(self.body));
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.tag);
        let content_type = HeaderValue::from_static(content_type);
        headers.insert(header::CONTENT_TYPE, content_type);
        response
    }
}
