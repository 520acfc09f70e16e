//! Keys of caches as runners get them (contract 7).

use sha1::{Digest, Sha1};

use crate::glob::{Dialect, Glob};
use crate::model::{Cache, CacheKey};

/// Where the ids of files come from: `(path, id)` of the commit, blobs or commits.
pub trait FileIds {
    fn blobs(&self) -> Vec<(String, String)>;
    fn last_commits(&self) -> Vec<(String, String)>;
}

/// The key of the cache at this place of the list, before the project's suffixes.
pub fn key(cache: &Cache, index: usize, ids: &dyn FileIds) -> String {
    match &cache.key {
        CacheKey::Text(text) => text.clone(),
        CacheKey::Files { files, prefix } => of_files(files, prefix.as_deref(), index, ids.blobs()),
        CacheKey::FilesCommits { files, prefix } => {
            of_files(files, prefix.as_deref(), index, ids.last_commits())
        }
    }
}

fn of_files(
    files: &[String], prefix: Option<&str>, index: usize, ids: Vec<(String, String)>,
) -> String {
    let globs: Vec<Glob> = files
        .iter()
        .filter_map(|file| Glob::new(file.trim_start_matches("./"), Dialect::Rules))
        .collect();
    let fitting = ids.into_iter().filter(|(path, _)| globs.iter().any(|glob| glob.fits(path)));
    let mut found: Vec<String> = fitting.map(|(_, id)| id).collect();
    found.sort_unstable();
    found.dedup();
    let digest = match found.is_empty() {
        true => "default".to_owned(),
        false => hex(&Sha1::digest(found.join("-"))),
    };
    match prefix {
        Some(prefix) => format!("{prefix}-{digest}"),
        None => format!("{index}_{}-{digest}", stems(files)),
    }
}

/// The names of files without their endings, as the default prefix has them.
fn stems(files: &[String]) -> String {
    let stem = |file: &String| {
        let name = file.rsplit('/').next().unwrap_or_default();
        match name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
            _ => name.to_owned(),
        }
    };
    files.iter().map(stem).collect::<Vec<_>>().join("_")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The key as it is sent: with the project's index, and apart for protected refs.
pub fn sent(key: &str, project_index: Option<u32>, protection: Protection) -> String {
    let index = project_index.map(|index| format!("-{index}")).unwrap_or_default();
    let suffix = match protection {
        Protection::Shared => "",
        Protection::Protected => "-protected",
        Protection::NotProtected => "-non_protected",
    };
    format!("{key}{index}{suffix}")
}

/// Whether caches of protected refs are kept apart, and what this ref is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    Shared,
    Protected,
    NotProtected,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Policies, Upload};

    struct Ids;

    impl FileIds for Ids {
        fn blobs(&self) -> Vec<(String, String)> {
            [("Cargo.lock", "b2"), ("web/pnpm-lock.yaml", "a1"), ("x", "c3")]
                .map(|(path, id)| (path.to_owned(), id.to_owned()))
                .to_vec()
        }

        fn last_commits(&self) -> Vec<(String, String)> {
            Vec::new()
        }
    }

    fn cache(key: CacheKey) -> Cache {
        Cache {
            key,
            paths: Vec::new(),
            untracked: false,
            policy: Policies::PullPush,
            when: Upload::OnSuccess,
            unprotect: false,
            fallback_keys: Vec::new(),
        }
    }

    #[test]
    fn keys_follow_the_content_of_files() {
        let files = vec!["Cargo.lock".to_owned(), "web/*.yaml".to_owned()];
        let wanted = hex(&Sha1::digest("a1-b2"));
        let of = |prefix: Option<&str>| {
            let prefix = prefix.map(str::to_owned);
            key(&cache(CacheKey::Files { files: files.clone(), prefix }), 1, &Ids)
        };
        assert_eq!(of(Some("p")), format!("p-{wanted}"));
        assert_eq!(of(None), format!("1_Cargo_*-{wanted}"));
        let none = CacheKey::FilesCommits { files: vec!["x".into()], prefix: None };
        assert_eq!(key(&cache(none), 0, &Ids), "0_x-default");
        assert_eq!(sent("k", Some(2), Protection::NotProtected), "k-2-non_protected");
        assert_eq!(sent("k", None, Protection::Shared), "k");
    }
}
