//! Packages in GraphQL (docs/interface/graphql.md 9). The rules and the
//! visible sets are those of REST: what is hidden there is null here.

mod cleanup;
mod dependencies;
mod details;
mod enums;
mod file_metadata;
mod files;
mod lists;
mod metadata;
mod mutations;
mod package;
mod policy;
mod settings;

use identity::graph::{Tally, caller};
use kernel::graph::{Connection, GlobalId, Graph, Window};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

pub const PACKAGE_ID: GlobalId = GlobalId::new("PackagesPackageID", "Packages::Package");
pub const FILE_ID: GlobalId = GlobalId::new("PackagesPackageFileID", "Packages::PackageFile");

pub const RULE_ID: GlobalId =
    GlobalId::new("PackagesProtectionRuleID", "Packages::Protection::Rule");

pub fn graph(g: &mut Graph) {
    PACKAGE_ID.register(g);
    FILE_ID.register(g);
    enums::graph(g);
    package::graph(g);
    details::graph(g);
    metadata::graph(g);
    files::graph(g);
    lists::graph(g);
    policy::graph(g);
    cleanup::graph(g);
    mutations::graph(g);
    settings::graph(g);
}

/// Pages in the order of their owners, out of rows by owner; an owner without
/// an entry has none.
fn pages<K: Eq + Hash, T>(
    owners: impl IntoIterator<Item = K>, found: HashMap<K, Vec<Arc<T>>>, window: &Window,
    keys: impl Fn(&T) -> Vec<Json>,
) -> Vec<Option<Connection<T>>> {
    let page = |owner: K| {
        let rows = found.get(&owner)?.clone();
        Some(window.page_of(rows, &keys))
    };
    owners.into_iter().map(page).collect()
}

/// Rows by owner, shared.
fn shared<T>(found: HashMap<i64, Vec<T>>) -> HashMap<i64, Vec<Arc<T>>> {
    let share = |rows: Vec<T>| rows.into_iter().map(Arc::new).collect();
    found.into_iter().map(|(id, rows)| (id, share(rows))).collect()
}
