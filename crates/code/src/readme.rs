//! Texts of a repository as pages: Markdown is rendered, with the files it names being
//! those of the same repository, and what else is text stays as it is written.

use crate::caching::by_bytes;
use crate::folder::is_markdown;
use crate::text;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::markup::{self, FilesBeside, Relative, Rendering};
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use std::sync::Arc;

/// Bytes of a text that is rendered.
pub const MOST: u64 = 512 * 1024;
/// Bytes of all texts that are remembered.
const ALL: u64 = 16 * 1024 * 1024;

/// Where a text stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    pub project: i64,
    /// What stands before the paths of files, and of their bytes.
    pub pages: String,
    pub bytes: String,
    /// The folder it is in, as in addresses.
    pub folder: String,
    pub query: String,
}

/// Texts that were rendered lately.
struct Recent(Cache<(ObjectId, Place), Arc<str>>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(by_bytes(ALL, |_, html| html.len()))
    }
}

/// The content of a text of this name as HTML that is safe to show.
pub async fn html(
    app: &App, place: Place, (id, name): (ObjectId, &str), content: Vec<u8>,
) -> Result<Arc<str>> {
    let Some(text) = text::letters(&content).map(String::from) else {
        return Ok(Arc::default());
    };
    if !is_markdown(name) {
        return Ok(format!("<pre tabindex=\"0\">{}</pre>", markup::escape(&text)).into());
    }
    let key = (id, place);
    let recent = app.kept::<Recent>();
    if let Some(known) = recent.0.get(&key) {
        return Ok(known);
    }
    let _turn = markup::turn().await?;
    let place = key.1.clone();
    let rendering = move || {
        let uploads = format!("/-/project/{}", place.project);
        let files = FilesBeside {
            pages: &place.pages,
            bytes: &place.bytes,
            folder: &place.folder,
            query: &place.query,
        };
        let to = Rendering {
            lowered: 2,
            uploads: &uploads,
            relative: Relative::Files(files),
            ..Rendering::default()
        };
        to.html(&text)
    };
    let made: Arc<str> =
        tokio::task::spawn_blocking(rendering).await.map_err(Error::internal)?.into();
    recent.0.insert(key, made.clone());
    Ok(made)
}
