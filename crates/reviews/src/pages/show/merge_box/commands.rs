//! What is typed to have the source branch at home, and to merge by hand. Names of branches
//! may hold what shells carry out, so they stand in quotes.

use crate::model::MergeRequest;

/// Where the source branch is fetched from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'f> {
    /// The project itself.
    Here,
    /// A fork, by the address of its repository.
    Fork(&'f str),
    /// A fork that is gone, or that the viewer does not see.
    Ref,
}

/// Has the source branch at home.
pub fn check_out(request: &MergeRequest, from: Origin<'_>) -> String {
    let branch = &request.source_branch;
    match from {
        Origin::Here => format!("git fetch origin\ngit switch {}", quoted(branch)),
        Origin::Fork(url) => {
            let own = format!("merge-request-{}", request.iid);
            let (url, branch) = (quoted(url), quoted(branch));
            format!("git fetch {url} {branch}\ngit switch -c {own} FETCH_HEAD")
        }
        Origin::Ref => {
            let iid = request.iid;
            format!(
                "git fetch origin refs/merge-requests/{iid}/head\n\
                 git switch -c merge-request-{iid} FETCH_HEAD"
            )
        }
    }
}

/// Takes what the target has into the source branch, and pushes it where the source is.
pub fn merge_by_hand(request: &MergeRequest, from: Origin<'_>) -> String {
    let mut lines = vec![check_out(request, from)];
    if from != Origin::Here {
        lines.push("git fetch origin".to_owned());
    }
    let target = format!("origin/{}", request.target_branch);
    lines.push(format!("git merge {}", quoted(&target)));
    let remote = match from {
        Origin::Here => Some("origin"),
        Origin::Fork(url) => Some(url),
        Origin::Ref => None,
    };
    if let Some(remote) = remote {
        lines.push("# resolve the conflicts, then git add and git commit".to_owned());
        let to = format!("HEAD:{}", request.source_branch);
        lines.push(format!("git push {} {}", quoted(remote), quoted(&to)));
    }
    lines.join("\n")
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/:-@".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn nothing_is_carried_out_that_a_name_holds() {
        for (text, word) in [
            ("feature/a-1", "feature/a-1"),
            ("https://host/x.git", "https://host/x.git"),
            ("-x", "'-x'"),
            ("a;reboot", "'a;reboot'"),
            ("$(reboot)", "'$(reboot)'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(text), word);
        }
    }
}
