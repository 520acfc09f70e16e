//! `/-/graphql-explorer`: queries with the session of whoever looks
//! (docs/decisions/0009).
//!
//! The page is our own and small. Where a folder with the npm packages of
//! GraphiQL is named, it is GraphiQL, from files whose versions and digests
//! are fixed here. Neither asks another server for anything.

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderValue, Method, header};
use identity::{Viewer, csrf};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, Page, ui};
use kernel::http::reply::{self, Response};
use kernel::http::{RequestContext, Routes};
use kernel::secrets::random_bytes;
use sha2::{Digest, Sha384};
use std::path::Path;
use std::sync::Arc;

const PAGE: &str = "/-/graphql-explorer";

/// One file of a package, as it was released.
struct Released {
    package: &'static str,
    version: &'static str,
    path: &'static str,
    /// SHA-384 in base64, as subresource integrity writes it.
    digest: &'static str,
}

/// In the order they are loaded.
static RELEASED: [Released; 4] = [
    Released {
        package: "graphiql",
        version: "4.1.2",
        path: "graphiql.min.css",
        digest: "1el1QShFBnnXTx9x/Cprg82hZWKt0ry29OAYIXt05swbi0KcZDFoj0CWguMpopJr",
    },
    Released {
        package: "react",
        version: "18.3.1",
        path: "umd/react.production.min.js",
        digest: "DGyLxAyjq0f9SPpVevD6IgztCFlnMF6oW/XQGmfe+IsZ8TqEiDrcHkMLKI6fiB/Z",
    },
    Released {
        package: "react-dom",
        version: "18.3.1",
        path: "umd/react-dom.production.min.js",
        digest: "gTGxhz21lVGYNMcdJOyq01Edg0jhn/c22nsx0kyqP0TxaV5WVdsSH1fSDUf5YJj1",
    },
    Released {
        package: "graphiql",
        version: "4.1.2",
        path: "graphiql.min.js",
        digest: "9XdHu7ajgGJziD4J1zNBKQ842Q/+zZfDv+ib1eMhZWBH6hPAs806x+Jbcf0yNO6B",
    },
];

impl Released {
    fn is_style(&self) -> bool {
        self.path.ends_with(".css")
    }

    fn kind(&self) -> &'static str {
        match self.is_style() {
            true => "text/css; charset=utf-8",
            false => "text/javascript; charset=utf-8",
        }
    }

    /// The last part of its address where we serve it: it names the version,
    /// so that browsers may keep it.
    fn name(&self) -> String {
        let extension = if self.is_style() { "css" } else { "js" };
        format!("{}-{}.{extension}", self.package, self.version)
    }

    fn url(&self) -> String {
        format!("{PAGE}/assets/{}", self.name())
    }
}

/// The files of GraphiQL, from memory; none where the page is our own.
#[derive(Debug, Clone, Default)]
pub struct Files(Arc<Vec<Bytes>>);

impl Files {
    /// Reads the files from a folder with the packages in it, such as a
    /// `node_modules`. A file that is missing or another one is named.
    pub fn read(folder: &Path) -> std::result::Result<Files, String> {
        let read = |file: &Released| {
            let path = folder.join(file.package).join(file.path);
            let bytes =
                std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            if STANDARD.encode(Sha384::digest(&bytes)) == file.digest {
                return Ok(Bytes::from(bytes));
            }
            let (package, version) = (file.package, file.version);
            let shown = path.display();
            Err(format!(
                "{shown} is not the file of {package} {version}; install {package}@{version}"
            ))
        };
        let files: std::result::Result<Vec<Bytes>, String> = RELEASED.iter().map(read).collect();
        Ok(Files(Arc::new(files?)))
    }
}

/// Declares the page and the files of GraphiQL.
pub fn routes(r: &mut Routes, files: &Files) {
    let from = files.clone();
    let page = move |app: App, viewer: Viewer| {
        let page = page(&app, &viewer, &from);
        async move { page }
    };
    r.page(Method::GET, PAGE, page);
    let from = files.clone();
    let file = move |request: Arc<RequestContext>| {
        let file = file(&request, &from);
        async move { file }
    };
    r.plain(Method::GET, &format!("{PAGE}/assets/{{file}}"), file).unchecked();
}

#[derive(Template)]
#[template(path = "explorer.html")]
struct Explorer {
    page: Page,
}

#[derive(Template)]
#[template(path = "graphiql.html")]
struct Graphiql {
    files: &'static [Released],
    nonce: String,
    csrf: String,
    username: String,
}

impl Graphiql {
    fn new(csrf: String, username: String) -> Graphiql {
        Graphiql {
            files: &RELEASED,
            nonce: hex::encode(random_bytes::<16>()),
            csrf,
            username,
        }
    }
}

fn page(app: &App, viewer: &Viewer, files: &Files) -> Result<Response> {
    if files.0.is_empty() {
        let page = identity::pages::page(app, viewer, "GraphQL explorer");
        return Ok(Html::new(&Explorer { page })?.response());
    }
    let (csrf, username) = match viewer {
        Viewer::User(signed_in) => (csrf::token(app, signed_in), signed_in.user.username.clone()),
        _ => Default::default(),
    };
    let page = Graphiql::new(csrf, username);
    Ok(Html::new(&page)?.policy(policy(&page.nonce)).response())
}

/// Runs what carries the nonce, asks this server alone. The style sheet holds
/// its fonts and some pictures itself.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         img-src 'self' data:; font-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    )
}

/// One of the files by its exact name; there are no others.
fn file(request: &RequestContext, files: &Files) -> Result<Response> {
    let name = request.uri.path().rsplit('/').next().unwrap_or_default();
    let place = RELEASED.iter().position(|file| file.name() == name);
    let found = place.and_then(|place| Some((&RELEASED[place], files.0.get(place)?)));
    let (file, bytes) = found.ok_or(Error::NotFound(""))?;
    let tag = format!("\"{}\"", file.digest);
    let mut response = reply::tagged(request, file.kind(), bytes.clone(), &tag)?;
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, forever);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_the_very_files_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Files::read(folder.path()).unwrap_err();
        assert!(missing.contains("graphiql/graphiql.min.css"), "{missing}");

        std::fs::create_dir(folder.path().join("graphiql")).unwrap();
        std::fs::write(folder.path().join("graphiql/graphiql.min.css"), "body{}").unwrap();
        let other = Files::read(folder.path()).unwrap_err();
        assert!(other.ends_with("install graphiql@4.1.2"), "{other}");
    }

    #[test]
    fn graphiql_asks_no_other_server_and_runs_only_its_files() {
        let page = Graphiql::new("token".into(), "jane".into());
        let shown = page.render().unwrap();
        let loads = |tag: &&str| tag.starts_with("script") || tag.contains("rel=\"stylesheet\"");
        let tags: Vec<&str> = shown.split('<').filter(loads).collect();
        assert_eq!(tags.len(), 6);
        for tag in tags {
            assert!(tag.contains(&format!("nonce=\"{}\"", page.nonce)), "{tag}");
            let own = tag.contains("=\"/-/assets/");
            assert!(own || tag.contains("integrity=\"sha384-"), "{tag}");
        }
        assert!(!shown.contains("://"), "no address of another server");
        let policy = policy(&page.nonce);
        assert!(policy.starts_with("default-src 'none'; script-src 'nonce-"));
        assert!(!policy.contains("unsafe") && !policy.contains("https:"));
    }
}
