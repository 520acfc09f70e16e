//! What changed from one version to the next, as commits say it in a trailer.

use crate::entity::trailers;
use repositories::objects::Commit;
use semver::Version;
use std::collections::HashSet;

/// A change that a commit tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The value of the trailer.
    pub category: String,
    pub title: String,
    /// The commit, by its whole name.
    pub commit: String,
}

/// What commits, the newest first, tell by a trailer; those that were taken back tell
/// nothing.
pub fn entries(commits: &[Commit], trailer: &str) -> Vec<Entry> {
    let taken_back: HashSet<&str> = commits.iter().filter_map(|one| reverted(one)).collect();
    let mut entries = Vec::new();
    for commit in commits {
        let id = commit.id.to_string();
        if reverted(commit).is_some() || taken_back.contains(id.as_str()) {
            continue;
        }
        let mut found = trailers::of(&commit.message).into_iter();
        let value = found.find(|(key, _)| key == trailer).map(|(_, value)| value);
        entries.extend(value.filter(|value| !value.is_empty()).map(|category| Entry {
            category,
            title: commit.title().to_owned(),
            commit: id,
        }));
    }
    entries
}

/// The commit that one takes back.
fn reverted(commit: &Commit) -> Option<&str> {
    let (_, rest) = commit.message.split_once("This reverts commit ")?;
    rest.get(..40)
}

/// The section of a version.
pub fn section(version: &str, date: &str, project: &str, entries: &[Entry]) -> String {
    let mut text = format!("## {version} ({date})\n\n");
    if entries.is_empty() {
        text.push_str("No changes.\n");
        return text;
    }
    let mut categories: Vec<&str> = Vec::new();
    for entry in entries {
        if !categories.contains(&entry.category.as_str()) {
            categories.push(&entry.category);
        }
    }
    let of = |category: &str| {
        let of: Vec<String> = entries
            .iter()
            .filter(|entry| entry.category == category)
            .map(|entry| format!("- [{}]({project}@{})\n", entry.title, entry.commit))
            .collect();
        let changes = if of.len() == 1 { "change" } else { "changes" };
        format!("### {category} ({} {changes})\n\n{}", of.len(), of.concat())
    };
    let parts: Vec<String> = categories.into_iter().map(of).collect();
    text.push_str(&parts.join("\n"));
    text
}

/// A file with a section more: before those of older versions.
pub fn with_section(file: &str, version: &Version, section: &str) -> String {
    let mut at = 0;
    for line in file.split_inclusive('\n') {
        let is_older = heading(line).is_some_and(|other| other < *version);
        if is_older {
            return format!("{}{section}\n{}", &file[..at], &file[at..]);
        }
        at += line.len();
    }
    match file.trim_end() {
        "" => section.to_owned(),
        before => format!("{before}\n\n{section}"),
    }
}

/// The version that a heading is of.
fn heading(line: &str) -> Option<Version> {
    let word = line.strip_prefix("## ")?.split_whitespace().next()?;
    version_of(word)
}

/// The version that a tag stands for.
pub fn version_of(tag: &str) -> Option<Version> {
    Version::parse(tag.strip_prefix('v').unwrap_or(tag)).ok()
}

/// The last version before one, of tags that are read so; what is on the way to a version
/// is none.
pub fn before<'t>(
    tags: impl Iterator<Item = &'t str>, version: &Version, read: impl Fn(&str) -> Option<Version>,
) -> Option<&'t str> {
    let versions = tags.filter_map(|tag| Some((read(tag)?, tag)));
    let older = versions.filter(|(other, _)| other < version && other.pre.is_empty());
    older.max_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, tag)| tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).expect("a version")
    }

    fn entry(category: &str, title: &str) -> Entry {
        Entry {
            category: category.into(),
            title: title.into(),
            commit: "1".repeat(40),
        }
    }

    #[test]
    fn changes_stand_below_what_they_are() {
        let entries = [entry("added", "Horn"), entry("fixed", "Face"), entry("added", "Base")];
        let id = "1".repeat(40);
        assert_eq!(
            section("1.0.0", "2031-01-02", "acme/anvil", &entries),
            format!(
                "## 1.0.0 (2031-01-02)\n\n### added (2 changes)\n\n- [Horn](acme/anvil@{id})\n\
                 - [Base](acme/anvil@{id})\n\n### fixed (1 change)\n\n\
                 - [Face](acme/anvil@{id})\n"
            )
        );
        assert!(section("1.0.0", "d", "p", &[]).ends_with("No changes.\n"));
    }

    #[test]
    fn sections_stand_in_the_order_of_versions() {
        let add = |file: &str, text: &str| with_section(file, &version(text), "## NEW\n");
        assert_eq!(add("", "1.0.0"), "## NEW\n");
        assert_eq!(add("# Log\n", "1.0.0"), "# Log\n\n## NEW\n");
        let file = "# Log\n\n## 2.0.0 (x)\n\na\n\n## 1.0.0\n\nb\n";
        assert_eq!(add(file, "1.5.0"), "# Log\n\n## 2.0.0 (x)\n\na\n\n## NEW\n\n## 1.0.0\n\nb\n");
        assert_eq!(add(file, "3.0.0"), format!("# Log\n\n## NEW\n\n{}", &file[7..]));
    }

    #[test]
    fn the_version_before_is_found() {
        let tags = ["v1.0.0", "v1.2.0", "2.0.0-rc1", "other", "v2.1.0"];
        let before = |text: &str| before(tags.into_iter(), &version(text), version_of);
        assert_eq!(before("2.0.0"), Some("v1.2.0"));
        assert_eq!(before("1.0.0"), None);
        assert_eq!(before("3.0.0"), Some("v2.1.0"));
    }
}
