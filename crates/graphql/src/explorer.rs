//! `/-/graphql-explorer`: GraphiQL with the session of whoever looks
//! (docs/decisions/0009).
//!
//! Its files come from the public address of their npm packages, or from a
//! folder where these packages are installed. Either way their versions and
//! digests are fixed here, and the page's policy runs nothing else.

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderValue, Method, header};
use identity::{Viewer, csrf};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Html;
use kernel::http::reply::{self, Response};
use kernel::http::{Asked, Routes};
use kernel::secrets::random_bytes;
use sha2::{Digest, Sha384};
use std::path::Path;
use std::sync::Arc;

/// The page.
const PAGE: &str = "/-/graphql-explorer";
/// Where any file of any npm package can be read, below `NAME@VERSION/`.
const PUBLIC: &str = "https://cdn.jsdelivr.net/npm";

/// One file of a package, as it was released.
struct Released {
    package: &'static str,
    version: &'static str,
    /// In the package.
    path: &'static str,
    /// SHA-384 in base64, as subresource integrity writes it.
    digest: &'static str,
}

/// In the order they are loaded.
const RELEASED: [Released; 4] = [
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
}

/// Where the page's files come from.
#[derive(Debug, Clone, Default)]
pub enum Files {
    /// The public address.
    #[default]
    Public,
    /// This server, from memory.
    Own(Arc<Vec<Bytes>>),
}

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
        Ok(Files::Own(Arc::new(files?)))
    }

    fn address(&self, file: &Released) -> String {
        match self {
            Files::Own(_) => format!("{PAGE}/assets/{}", file.name()),
            Files::Public => {
                let Released {
                    package,
                    version,
                    path,
                    ..
                } = file;
                format!("{PUBLIC}/{package}@{version}/{path}")
            }
        }
    }
}

/// Declares the page and, where they are ours, its files.
pub fn routes(r: &mut Routes, files: &Files) {
    let from = files.clone();
    let page = move |app: App, viewer: Viewer| {
        let page = page(&app, &viewer, &from);
        async move { page }
    };
    r.page(Method::GET, PAGE, page);
    let from = files.clone();
    let file = move |asked: Arc<Asked>| {
        let file = file(&asked, &from);
        async move { file }
    };
    r.plain(Method::GET, &format!("{PAGE}/assets/{{file}}"), file)
        .unchecked();
}

/// A file as the page links to it.
struct Linked {
    url: String,
    integrity: String,
    style: bool,
}

impl Linked {
    fn is_style(&self) -> bool {
        self.style
    }
}

#[derive(Template)]
#[template(path = "explorer.html")]
struct Page {
    files: Vec<Linked>,
    nonce: String,
    csrf: String,
    username: String,
}

fn page(app: &App, viewer: &Viewer, files: &Files) -> Result<Response> {
    let linked = |file: &Released| Linked {
        url: files.address(file),
        integrity: format!("sha384-{}", file.digest),
        style: file.is_style(),
    };
    let (csrf, username) = match viewer {
        Viewer::User(signed_in) => (csrf::token(app, signed_in), signed_in.user.username.clone()),
        _ => Default::default(),
    };
    let page = Page {
        files: RELEASED.iter().map(linked).collect(),
        nonce: hex::encode(random_bytes::<16>()),
        csrf,
        username,
    };
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
fn file(asked: &Asked, files: &Files) -> Result<Response> {
    let name = asked.uri.path().rsplit('/').next().unwrap_or_default();
    let place = RELEASED.iter().position(|file| file.name() == name);
    let (Files::Own(all), Some(place)) = (files, place) else {
        return Err(Error::NotFound(""));
    };
    let file = &RELEASED[place];
    let tag = format!("\"{}\"", file.digest);
    let mut response = reply::tagged(asked, file.kind(), all[place].clone(), &tag)?;
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, kept);
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
}
