//! What formats tell of a file.

use super::caller;
use crate::store::pages::{self as rows, KeptFile};
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault, Graph, HasTypeRef, JSON};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::Arc;

pub struct FileMetadata(KeptFile);

impl FileMetadata {
    /// The object type of its format.
    pub fn concrete(&self) -> &'static str {
        match self.0.recipe_revision {
            Some(_) => "ConanFileMetadata",
            None => "HelmFileMetadata",
        }
    }

    fn said(&self) -> Json {
        let text = self.0.metadata.as_deref().unwrap_or_default();
        serde_json::from_str(text).unwrap_or_default()
    }
}

pub fn graph(g: &mut Graph) {
    g.interface::<FileMetadata>("PackageFileMetadata", "What a format tells of a file.")
        .value("createdAt", "When it was stored.", |it| it.0.created_at)
        .value("updatedAt", "When it last changed.", |it| it.0.updated_at);
    g.object::<FileMetadata>("ConanFileMetadata", "What Conan tells of a file.")
        .implements("PackageFileMetadata")
        .value("recipeRevision", "Revision of the recipe.", |it| {
            it.0.recipe_revision.clone().unwrap_or_default()
        })
        .value("packageRevision", "Revision of the binary package.", |it| {
            filled(&it.0.package_revision)
        })
        .value("conanPackageReference", "Reference of the binary package.", |it| {
            filled(&it.0.package_reference)
        });
    g.object::<FileMetadata>("HelmFileMetadata", "What Helm tells of a file.")
        .implements("PackageFileMetadata")
        .value("channel", "The channel it is in.", |it| {
            it.0.channel.clone().unwrap_or_default()
        })
        .field("metadata", JSON.required(), FileMetadata::said)
        .describe("The chart's own description.");
}

/// What belongs to the recipe itself is of no binary package.
fn filled(text: &Option<String>) -> Option<String> {
    text.clone().filter(|text| !text.is_empty())
}

pub struct ToldOfFiles;

impl Loader for ToldOfFiles {
    type Key = i64;
    type Value = Arc<FileMetadata>;

    async fn load(
        context: Context, ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<FileMetadata>>, Fault> {
        let (app, _) = caller(&context)?;
        let found = app.read(move |tx| rows::kept_files(tx, ids)).await?;
        let told = found.into_iter().map(|kept| (kept.id, Arc::new(FileMetadata(kept))));
        Ok(told.collect())
    }
}
