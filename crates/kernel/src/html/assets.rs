//! The files a page links to, held in the program.
//!
//! Addresses carry a digest of the content, so browsers may keep them for
//! ever and a new release is seen at once.

use super::themes;
use super::ui::icons::path;
use crate::http::Response;
use axum::body::Body;
use http::{HeaderValue, StatusCode, header};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
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
    "css/head.css",
    "css/card.css",
    "css/menu.css",
    "css/form.css",
    "css/editor.css",
    "css/commit.css",
    "css/picker.css",
    "css/message.css",
    "css/avatar.css",
    "css/tabs.css",
    "css/list.css",
    "css/branches.css",
    "css/commits.css",
    "css/signature.css",
    "css/diff.css",
    "css/suggestion.css",
    "css/conflicts.css",
    "css/review.css",
    "css/graph.css",
    "css/query.css",
    "css/note.css",
    "css/merging.css",
    "css/fields.css",
    "css/table.css",
    "css/pager.css",
    "css/parts.css",
    "css/shows.css",
    "css/chart.css",
    "css/calendar.css",
    "css/roster.css",
    "css/board.css",
    "css/timeline.css",
    "css/rules.css",
    "css/code.css",
    "css/ci.css",
    "css/dependencies.css",
    "css/search.css",
    "css/text.css",
    "css/screens.css",
    "css/preferences.css",
);

/// One script for all pages; each file is one comfort, and every page works
/// without any. It fetches [`WRITING`] where a page has fields for it, [`BOARD`] where one has a
/// board, and [`REVIEW`] where one has the changes of a merge request.
const SCRIPT: &str = joined!(
    "js/copy.js",
    "js/menus.js",
    "js/pages.js",
    "js/shortcuts.js",
    "js/lines.js",
    "js/diff.js",
    "js/pipelines.js",
    "js/live.js",
    "js/writing.js",
);

/// The script of pages where somebody writes: editors and pickers.
const WRITING: &str = joined!(
    "js/suggest.js",
    "js/typing.js",
    "js/completion.js",
    "js/uploads.js",
    "js/drafts.js",
    "js/editor.js",
    "js/picker.js",
    "js/order.js",
);

/// The script of boards.
const BOARD: &str = joined!("js/board.js");

/// The script of the changes of merge requests.
const REVIEW: &str = joined!("js/review.js", "js/points.js");

/// Pictures that scripts draw.
const PICTURES: [&str; 11] = [
    "bold", "italic", "quote", "code", "link", "list", "numbers", "tasks", "table", "attach",
    "close",
];

static WRITING_TEXT: LazyLock<String> = LazyLock::new(|| {
    let lines: BTreeMap<&str, &str> = PICTURES.iter().map(|name| (*name, path(name))).collect();
    format!("const pictures = {};\n{}", json!(lines), lean(WRITING))
});

static SCRIPT_TEXT: LazyLock<String> = LazyLock::new(|| {
    let writing = Asset::new("writing.js", JAVASCRIPT, WRITING_TEXT.as_bytes());
    let board = Asset::new("board.js", JAVASCRIPT, BOARD_TEXT.as_bytes());
    let review = Asset::new("review.js", JAVASCRIPT, REVIEW_TEXT.as_bytes());
    let url = |asset: &Asset| json!(format!("{PREFIX}{}", asset.hashed));
    let urls = format!(
        "const writing = {};\nconst boards = {};\nconst reviews = {};\n",
        url(&writing),
        url(&board),
        url(&review)
    );
    urls + &lean(SCRIPT)
});

static BOARD_TEXT: LazyLock<String> = LazyLock::new(|| lean(BOARD));

static REVIEW_TEXT: LazyLock<String> = LazyLock::new(|| lean(REVIEW));

/// A script of ours without comments and indentation; no line of its texts
/// begins with either.
fn lean(script: &str) -> String {
    let lines = script.lines().map(str::trim);
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    said.flat_map(|line| [line, "\n"]).collect()
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

static ASSETS: LazyLock<[Asset; 10]> = LazyLock::new(|| {
    [
        Asset::new(
            "tenon.css",
            "text/css; charset=utf-8",
            themes::by_choice(STYLES).leak().as_bytes(),
        ),
        Asset::new("tenon.js", JAVASCRIPT, SCRIPT_TEXT.as_bytes()),
        Asset::new("writing.js", JAVASCRIPT, WRITING_TEXT.as_bytes()),
        Asset::new("board.js", JAVASCRIPT, BOARD_TEXT.as_bytes()),
        Asset::new("review.js", JAVASCRIPT, REVIEW_TEXT.as_bytes()),
        Asset::new("keys.js", JAVASCRIPT, include_bytes!("../../assets/keys.js")),
        Asset::new(
            "graphiql.css",
            "text/css; charset=utf-8",
            include_bytes!("../../assets/graphiql.css"),
        ),
        Asset::new("graphiql.js", JAVASCRIPT, include_bytes!("../../assets/graphiql.js")),
        Asset::new("explorer.js", JAVASCRIPT, include_bytes!("../../assets/explorer.js")),
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
