//! Drafts: merge requests whose title says that they are not ready.

/// With which the title of a draft begins; more than one may stand there.
const MARKERS: [&str; 3] = ["[draft]", "(draft)", "draft:"];
/// What is written before a title.
const WRITTEN: &str = "Draft: ";
/// With which the subject of a commit begins that is to go into another one.
const FIXES: [&str; 2] = ["fixup!", "squash!"];

/// The rest behind a marker, if a text begins with one.
fn behind_marker(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let rest = |marker: &&str| {
        let (head, rest) = text.split_at_checked(marker.len())?;
        head.eq_ignore_ascii_case(marker).then_some(rest)
    };
    MARKERS.iter().find_map(rest)
}

/// Whether a title is that of a draft.
pub fn is_draft(title: &str) -> bool {
    behind_marker(title).is_some()
}

/// The title without what marks it as one of a draft; the marker stays where nothing
/// would be left.
pub fn as_ready(title: &str) -> String {
    let mut rest = title;
    while let Some(behind) = behind_marker(rest) {
        rest = behind;
    }
    match rest.trim() {
        "" => title.trim().to_owned(),
        bare => bare.to_owned(),
    }
}

/// The title as that of a draft.
pub fn as_draft(title: &str) -> String {
    match is_draft(title) {
        true => title.trim().to_owned(),
        false => format!("{WRITTEN}{}", title.trim()),
    }
}

/// Whether the subject of a commit says that what it is in is not ready.
pub fn marks_draft(subject: &str) -> bool {
    let begins = |marker: &&str| subject.trim_start().starts_with(*marker);
    is_draft(subject) || FIXES.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn drafts_are_known_by_their_titles() {
        for draft in ["Draft: x", "draft:x", "[DRAFT] x", "(Draft)x", "  draft: x", "Draft: "] {
            assert!(is_draft(draft), "{draft}");
        }
        for ready in ["WIP: x", "Drafty", "x draft: y", "", "Draft", "дraft: x"] {
            assert!(!is_draft(ready), "{ready}");
        }
    }

    #[test]
    fn several_markers_go_at_once() {
        assert_eq!(as_ready("Draft: [draft] (DRAFT) Forge"), "Forge");
        assert_eq!(as_ready("Forge"), "Forge");
        assert_eq!(as_ready("Draft:"), "Draft:");
        assert_eq!(as_draft("Forge"), "Draft: Forge");
        assert_eq!(as_draft("[draft] Forge"), "[draft] Forge");
    }

    #[test]
    fn commits_that_go_into_others_mark_drafts() {
        for subject in ["fixup! Forge", "squash! Forge", "Draft: Forge", "[draft] Forge"] {
            assert!(marks_draft(subject), "{subject}");
        }
        assert!(!marks_draft("Fix up the forge"));
    }

    proptest! {
        #[test]
        fn a_title_becomes_a_draft_and_ready_again(title in "\\PC{1,40}") {
            prop_assert!(is_draft(&as_draft(&title)));
            let ready = as_ready(&title);
            prop_assert_eq!(as_ready(&ready), ready.clone());
            if !is_draft(&ready) && !ready.is_empty() {
                prop_assert_eq!(as_ready(&as_draft(&ready)), ready);
            }
        }
    }
}
