//! What a request asks of its answer besides data, in `extensions`.

use super::persisted;
use crate::validation::{Checked, report, variables};
use kernel::graph::Table;
use serde_json::{Map, Value as Json, json};

/// The extensions known here; others are ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asks {
    /// `cost`: what every field costs.
    cost: bool,
    /// `dryRun`: that, without running anything.
    pub dry_run: bool,
    /// `deprecations`: deprecated members in use.
    deprecations: bool,
    /// `persistedQuery`: the digest of the query.
    pub persisted: Option<persisted::QuerySource>,
}

impl Asks {
    /// Reads the extensions in any of the forms of variables.
    pub fn read(given: Option<&Json>) -> Result<Asks, String> {
        let given = variables::sent(given)?;
        let asked = |name: &str| given.get(name) == Some(&Json::Bool(true));
        Ok(Asks {
            cost: asked("cost"),
            dry_run: asked("dryRun"),
            deprecations: asked("deprecations"),
            persisted: given.get("persistedQuery").map(persisted::QuerySource::read),
        })
    }

    /// The extensions of the answer.
    pub fn extensions(self, table: &Table, checked: &Checked) -> Map<String, Json> {
        let mut extensions = Map::new();
        if self.cost || self.dry_run {
            extensions.insert("cost".to_owned(), report::cost(table, checked));
        }
        if self.dry_run {
            extensions.insert("dryRun".to_owned(), Json::Bool(true));
        }
        if self.deprecations {
            let used = report::deprecations(table, checked);
            extensions.insert("deprecations".to_owned(), json!(used));
        }
        extensions
    }
}
