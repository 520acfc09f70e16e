//! `/api/graphql/schema.graphql`: the interface as a file to download.

use bytes::Bytes;
use http::Method;
use kernel::error::Result;
use kernel::graph::{Table, sdl};
use kernel::http::reply::{self, Response};
use kernel::http::{RequestContext, Routes};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The interface in the schema language, with the tag of this very text.
struct File {
    text: Bytes,
    tag: String,
}

impl File {
    fn of(table: &Table) -> Arc<File> {
        let text = sdl::text(table);
        Arc::new(File {
            tag: format!("\"{}\"", hex::encode(&Sha256::digest(&text)[..16])),
            text: text.into(),
        })
    }
}

/// Declares the download: all, or with `remove_deprecated` what will stay.
pub fn routes(r: &mut Routes, whole: &Table, unmarked: &Table) {
    let (whole, unmarked) = (File::of(whole), File::of(unmarked));
    let show = move |request: Arc<RequestContext>, query: super::Unmarked| {
        let file = if query.0 { &unmarked } else { &whole };
        let shown = show(&request, file);
        async move { shown }
    };
    r.graphql(Method::GET, "/api/graphql/schema.graphql", show)
        .unchecked()
        .summary("The GraphQL interface in the schema language");
}

fn show(request: &RequestContext, file: &File) -> Result<Response> {
    let kind = "text/plain; charset=utf-8";
    reply::tagged(request, kind, file.text.clone(), &file.tag)
}
