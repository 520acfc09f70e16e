//! The languages of a project.

use super::SCOPES;
use crate::access::{self, CodeRequest};
use crate::languages;
use kernel::error::Result;
use kernel::http::{Ok200, Routes};
use repositories::objects::Objects;
use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.get("/languages", show)
        .scopes(SCOPES)
        .summary("Tells which languages a project is written in");
}

/// Languages with their part of the whole in percent, the most of first.
#[derive(Debug, JsonSchema)]
#[schemars(transparent)]
struct Languages(
    #[schemars(with = "std::collections::BTreeMap<String, f64>")] Arc<Vec<languages::Share>>,
);

impl Serialize for Languages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for share in self.0.iter() {
            map.serialize_entry(&share.name, &share.percent)?;
        }
        map.end()
    }
}

async fn show(at: CodeRequest) -> Result<Ok200<Languages>> {
    let (code, revision) = at
        .find(|tx, code| match &code.repository {
            Some(_) => code.revision(tx, None, "Repository").map(Some).or_else(absent),
            None => Ok(None),
        })
        .await?;
    let Some(revision) = revision else {
        return Ok(Ok200(Languages(Arc::default())));
    };
    let find = move |objects: &Objects| access::commit(objects, &revision, "Repository");
    let tree = at.objects(&code, find).await?.tree;
    let shares = languages::of_tree(&at.app, code.repository()?, tree).await?;
    Ok(Ok200(Languages(shares)))
}

/// An empty repository has none.
fn absent<T>(error: kernel::error::Error) -> Result<Option<T>> {
    match error {
        kernel::error::Error::NotFound(_) => Ok(None),
        other => Err(other),
    }
}
