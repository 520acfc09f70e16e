//! Links between the project's own pages lead somewhere.

use crate::root;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Where pages are looked for.
const FOLDERS: &[&str] = &["", "docs", "docs/decisions", "docs/guide", "docs/interface", "fuzz"];

/// The pages by their path below the root.
fn pages() -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = Path::new(folder).join(path.file_name().unwrap());
                found.insert(name, std::fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

/// The lines of a page that are no code, without code between backticks.
fn prose(page: &str) -> Vec<String> {
    let (mut lines, mut is_code) = (Vec::new(), false);
    for line in page.lines() {
        match line.trim_start().starts_with("```") {
            true => is_code = !is_code,
            false if is_code => {}
            false => lines.push(line.split('`').step_by(2).collect::<Vec<_>>().join("`")),
        }
    }
    lines
}

/// Where links of a page lead, web addresses apart.
fn targets(page: &str) -> Vec<String> {
    // A link's text may stand on the line before.
    let text = prose(page).join("\n");
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    ends.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// The anchors of the headings, as forges make them of the text.
fn anchors(page: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut is_code = false;
    for line in page.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if is_code || title == line || !title.starts_with(' ') {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let title = title.trim().to_lowercase();
        let anchor: String = title.chars().filter(kept).collect::<String>().replace(' ', "-");
        let again = anchors.iter().filter(|one| **one == anchor).count();
        anchors.push(match again {
            0 => anchor,
            again => format!("{anchor}-{again}"),
        });
    }
    anchors
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(plain.pop(), "{} leads outside", path.display()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The file and the anchor that a link of a page names.
fn resolve(page: &Path, target: &str) -> (PathBuf, Option<String>) {
    let (file, anchor) = match target.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor.to_owned())),
        None => (target, None),
    };
    let folder = page.parent().unwrap_or(Path::new(""));
    let file = match file {
        "" => page.to_owned(),
        file => plain(&folder.join(file)),
    };
    (file, anchor)
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut links = 0;
    for (page, text) in &pages {
        for target in targets(text) {
            let (file, anchor) = resolve(page, &target);
            let at = format!("{} links to {target}", page.display());
            assert!(root().join(&file).exists(), "{at}: no such file");
            if let Some(anchor) = anchor {
                let there = pages.get(&file).unwrap_or_else(|| panic!("{at}: no page"));
                assert!(anchors(there).contains(&anchor), "{at}: no such heading");
            }
            links += 1;
        }
    }
    assert!(links > 80, "only {links} links were found");
}

#[test]
fn links_and_headings_are_read() {
    let page = "# A `b_c`: D\n[x](y.md#z) and `[code](no)`, [w](https://a.example)\n\
                ```sh\n# no heading\n[no](no.md)\n```\n## Two\n## Two\n[over\nlines](#two)\n";
    assert_eq!(targets(page), ["y.md#z", "#two"]);
    assert_eq!(anchors(page), ["a-b_c-d", "two", "two-1"]);
    let (file, anchor) = resolve(Path::new("docs/guide/a.md"), "../../README.md#start");
    assert_eq!((file, anchor), ("README.md".into(), Some("start".into())));
}
