//! The files a page links to, held in the program.
//!
//! Addresses carry a digest of the content, so browsers may keep them for
//! ever and a new release is seen at once.

use crate::http::Response;
use axum::body::Body;
use http::{HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const PREFIX: &str = "/-/assets/";

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    /// `<stem>.<digest>.<extension>`.
    hashed: String,
    etag: String,
}

impl Asset {
    fn new(name: &'static str, kind: &'static str, bytes: &'static [u8]) -> Asset {
        let digest = hex::encode(&Sha256::digest(bytes)[..8]);
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        Asset {
            name,
            kind,
            bytes,
            hashed: format!("{stem}.{digest}.{extension}"),
            etag: format!("\"{digest}\""),
        }
    }
}

macro_rules! joined {
    ($($file:literal),+ $(,)?) => {
        concat!($(include_str!(concat!("../../assets/", $file)), "\n"),+)
    };
}

/// One sheet for all pages: a file for what all share, one for each component,
/// and what depends on the screen at the end.
pub(super) const STYLES: &str = joined!(
    "css/base.css",
    "css/shell.css",
    "css/page.css",
    "css/button.css",
    "css/form.css",
    "css/message.css",
    "css/tabs.css",
    "css/list.css",
    "css/table.css",
    "css/parts.css",
    "css/shows.css",
    "css/text.css",
    "css/screens.css",
);

/// One script for all pages; each file is one comfort, and every page works
/// without any.
const SCRIPT: &str = joined!("js/copy.js", "js/menus.js", "js/pages.js");

static ASSETS: LazyLock<[Asset; 7]> = LazyLock::new(|| {
    [
        Asset::new("tenon.css", "text/css; charset=utf-8", STYLES.as_bytes()),
        Asset::new("tenon.js", "text/javascript; charset=utf-8", SCRIPT.as_bytes()),
        Asset::new(
            "keys.js",
            "text/javascript; charset=utf-8",
            include_bytes!("../../assets/keys.js"),
        ),
        Asset::new(
            "graphiql.css",
            "text/css; charset=utf-8",
            include_bytes!("../../assets/graphiql.css"),
        ),
        Asset::new(
            "graphiql.js",
            "text/javascript; charset=utf-8",
            include_bytes!("../../assets/graphiql.js"),
        ),
        Asset::new(
            "explorer.js",
            "text/javascript; charset=utf-8",
            include_bytes!("../../assets/explorer.js"),
        ),
        Asset::new("tenon.svg", "image/svg+xml", include_bytes!("../../assets/tenon.svg")),
    ]
});

/// The address of an asset by its plain name (`tenon.css`); an unknown name
/// gives an address that answers 404.
pub fn asset_url(name: &str) -> String {
    let known = ASSETS.iter().find(|asset| asset.name == name);
    format!("{PREFIX}{}", known.map_or(name, |asset| asset.hashed.as_str()))
}

fn find(path: &str) -> Option<&'static Asset> {
    let name = path.strip_prefix(PREFIX).unwrap_or(path);
    ASSETS.iter().find(|asset| asset.hashed == name)
}

/// Content type, bytes and ETag of the asset at a path (with or without
/// `/-/assets/`).
pub fn asset(path: &str) -> Option<(&'static str, &'static [u8], &'static str)> {
    find(path).map(|asset| (asset.kind, asset.bytes, asset.etag.as_str()))
}

/// The answer to GET of an asset: 304 where `if_none_match` names it.
pub fn asset_response(path: &str, if_none_match: Option<&str>) -> Option<Response> {
    let (kind, bytes, etag) = asset(path)?;
    let has_it = if_none_match.is_some_and(|tags| tags.contains(etag));
    let body = if has_it { Body::empty() } else { Body::from(bytes) };
    let mut response = http::Response::new(body);
    if has_it {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::from_static(etag));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=31536000, immutable"),
    );
    Some(response)
}
