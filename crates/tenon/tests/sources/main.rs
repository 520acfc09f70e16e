//! What the sources themselves promise: pages that name tests and lead on, and a floor
//! plan.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod floor_plan;
mod interface_pages;
mod links;
mod migrations;
mod repetition;
mod templates;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All sources of the project, by path below its root, without an extension;
/// `x/mod.rs` as `x`.
fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for folder in ["crates", "fuzz", "xtask"] {
        collect(&root().join(folder), &mut found);
    }
    found
}

fn collect(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).unwrap().with_extension("");
            let name = name.to_str().unwrap().replace('\\', "/");
            let text = std::fs::read_to_string(&path).unwrap();
            found.insert(name.trim_end_matches("/mod").to_owned(), text);
        }
    }
}
