//! Where the packs of repositories lie: the blob store, called `default`, and the storages
//! that the operator names.

use ::store::{Fragment, Tx, sql};
use identity::Caller;
use identity::settings::Part;
use kernel::blobs::DEFAULT_STORAGE;
use kernel::error::{Error, Found, Result};
use kernel::http::{Ok200, Params, Routes};
use kernel::ids::Reference;
use kernel::secrets::random_bytes;
use kernel::settings;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use spaces::access::{self, Purpose};
use std::collections::HashMap;

use crate::model::RepositoryKind;
use crate::store;

/// Heaviest weight.
const HEAVIEST: i64 = 100;

kernel::setting! {
    /// Which storages new repositories come to.
    pub struct StorageWeights = "repositories.storages" {
        pub weights: Map<String, Value> = [(DEFAULT_STORAGE.to_owned(), HEAVIEST.into())].into_iter().collect(),
    }
}

mod weights {
    use super::{Map, StorageWeights, Value};

    identity::settings_part! {
        StorageWeights {
            /// How often each storage is chosen for a new repository: its name with a
            /// number from 0 to 100.
            repository_storages_weighted: Map<String, Value> => weights,
        } sealed {}
    }
}

/// The weights as a part of the instance's settings; each is of a storage there is.
pub const PART: Part = Part {
    write: |app, tx, source| {
        (weights::PART.write)(app, tx, source)?;
        let stored: StorageWeights = settings::read(tx)?;
        let names = app.blobs().storage_names();
        match stored.weights.keys().find(|name| !names.contains(*name)) {
            Some(name) => Err(invalid(&format!("has {name}, which is no storage"))),
            None => Ok(()),
        }
    },
    ..weights::PART
};

fn invalid(text: &str) -> Error {
    Error::invalid("repository_storages_weighted", text)
}

impl StorageWeights {
    fn validate(&self) -> Result<()> {
        let is_weight =
            |value: &Value| weight(value).is_some_and(|it| (0..=HEAVIEST).contains(&it));
        match self.weights.values().all(is_weight) {
            true => Ok(()),
            false => Err(invalid(&format!("must have numbers between 0 and {HEAVIEST}"))),
        }
    }

    /// The storage at a number: each takes as many as its weight. Where all weigh
    /// nothing it is the default.
    fn at(&self, number: u64) -> &str {
        let weights = || {
            let weighed = |value| weight(value).unwrap_or_default().unsigned_abs();
            self.weights.iter().map(move |(name, value)| (name.as_str(), weighed(value)))
        };
        let total: u64 = weights().map(|(_, weight)| weight).sum();
        let mut rest = number.checked_rem(total).unwrap_or_default();
        let mut chosen = weights().skip_while(|(_, weight)| {
            let is_behind = rest >= *weight;
            rest = rest.saturating_sub(*weight);
            is_behind
        });
        chosen.next().map_or(DEFAULT_STORAGE, |(name, _)| name)
    }
}

/// Forms send numbers as texts.
fn weight(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// The storage of a new repository, by chance and weight.
pub fn choose(tx: &mut Tx<'_>) -> Result<String> {
    let weights: StorageWeights = settings::read(tx)?;
    Ok(weights.at(u64::from_le_bytes(random_bytes())).to_owned())
}

/// How often each storage is chosen, of those of which it is said.
pub fn weight_of_each(tx: &mut Tx<'_>) -> Result<HashMap<String, i64>> {
    let stored: StorageWeights = settings::read(tx)?;
    let each = stored.weights.iter();
    Ok(each
        .map(|(name, value)| (name.clone(), weight(value).unwrap_or_default()))
        .collect())
}

/// The storages of those projects that have a repository.
pub fn of_projects(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, String>> {
    Ok(tx.pairs(
        sql!(
            "select project_id, storage from repositories
             where project_id in_list($1) and kind = 'project'"
        ),
        (projects.to_vec(),),
    )?)
}

/// Condition on `projects`: those with a repository in this storage.
pub fn projects_in(storage: &str) -> Fragment {
    let mut sql = Fragment::new(
        "projects.id in (select repositories.project_id from repositories
            where repositories.kind = 'project' and repositories.storage = ",
    );
    sql.push("", storage).raw(")");
    sql
}

/// The names of the storages that repositories lie in.
pub fn in_use(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    Ok(tx.all(sql!("select distinct storage from repositories order by storage"), ())?)
}

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/storage", show)
        .summary("Shows where the repository of a project lies");
}

kernel::params! {
    /// Which project.
    struct OfProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

/// Where the repository of a project lies.
#[derive(Debug, Serialize, JsonSchema)]
struct ProjectStorage {
    project_id: i64,
    /// The folder of its copies below the cache of a server.
    disk_path: String,
    created_at: String,
    repository_storage: String,
}

async fn show(by: Caller, Params(which): Params<OfProject>) -> Result<Ok200<ProjectStorage>> {
    by.viewer.admin()?;
    let read = by.read(move |tx, by| {
        let project = access::project(tx, &by.viewer, &which.id, Purpose::Read)?;
        let repository = store::of_project(tx, project.id, RepositoryKind::Project)?;
        let repository = repository.found("Repository")?;
        Ok(ProjectStorage {
            project_id: project.id,
            disk_path: format!("repositories/{}", repository.id),
            created_at: kernel::time::wire::text(repository.created_at),
            repository_storage: repository.storage,
        })
    });
    Ok(Ok200(read.await?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn weights(all: Value) -> StorageWeights {
        StorageWeights { weights: all.as_object().cloned().unwrap_or_default() }
    }

    #[test]
    fn each_storage_takes_its_share() {
        let three = weights(json!({"default": 1, "fast": "2", "full": 0}));
        assert_eq!(three.at(0), "default");
        assert_eq!([three.at(1), three.at(2)], ["fast", "fast"]);
        assert_eq!(three.at(3), "default", "it begins again");
        for none in [json!({}), json!({"fast": 0})] {
            assert_eq!(weights(none).at(7), "default");
        }
    }

    #[test]
    fn weights_are_small_numbers() {
        assert!(weights(json!({"a": 0, "b": "100"})).validate().is_ok());
        for wrong in [json!({"a": -1}), json!({"a": 101}), json!({"a": "x"}), json!({"a": null})] {
            assert!(weights(wrong.clone()).validate().is_err(), "{wrong}");
        }
    }
}
