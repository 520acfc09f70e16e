//! The bytes of the files of snippets.

use super::SnippetRequest;
use crate::files;
use code::sending::{SMALL, send_from};
use kernel::error::{Error, Result};
use kernel::http::{Params, RequestContext, Response, Routes};
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes, one: &str, name: &str, thing: &str) {
    r.get(&format!("{one}/raw"), raw)
        .named(&format!("{name}_raw"))
        .summary(format!("Answers with the bytes of the first file of {thing}"));
    r.get(&format!("{one}/files/{{ref}}/{{file_path}}/raw"), file)
        .named(&format!("{name}_file"))
        .summary(format!("Answers with the bytes of a file of {thing}"));
}

kernel::params! {
    struct FilePath {
        /// Its branch, `HEAD` or a commit.
        pub rev as "ref": String,
        /// The path of the file.
        pub file_path: String,
    }
}

async fn raw(at: SnippetRequest, request: Arc<RequestContext>) -> Result<Response> {
    let snippet = at.find().await?.snippet;
    let first = snippet.files().first().ok_or(Error::NotFound("File"))?.clone();
    let app = &at.caller.app;
    let repository = files::repository(app, &snippet).await?;
    let file = files::current(app, &repository, &first, SMALL).await?;
    send_from(app, repository.id, &request, file.blob, file.path.name()).await
}

async fn file(
    at: SnippetRequest, request: Arc<RequestContext>, named: Params<FilePath>,
) -> Result<Response> {
    let snippet = at.find().await?.snippet;
    let app = &at.caller.app;
    let repository = files::repository(app, &snippet).await?;
    let spot = (named.rev.as_str(), named.file_path.as_str());
    let file = files::file(app, &repository, spot, SMALL).await?;
    send_from(app, repository.id, &request, file.blob, file.path.name()).await
}
