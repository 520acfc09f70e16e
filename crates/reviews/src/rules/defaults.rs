//! What a merge request is called and says where nobody words it: by its commits, by the
//! issue that its branch names, or by the branch. Pure.

use crate::merging::messages::CommitText;
use planning::model::Issue;
use spaces::model::Project;

/// Longest title, in characters.
const LONGEST_TITLE: usize = 255;

/// A title and a description.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    pub title: String,
    pub description: String,
}

/// The issue that a branch is about.
#[derive(Debug, Clone, Copy)]
pub struct BranchIssue<'i> {
    pub iid: i64,
    pub title: &'i str,
    /// It is closed with the merge, as the project has it.
    pub closes: bool,
}

impl<'i> BranchIssue<'i> {
    /// An issue of this project.
    pub fn of(issue: &'i Issue, project: &Project) -> BranchIssue<'i> {
        BranchIssue {
            iid: issue.iid,
            title: &issue.title,
            closes: project.autoclose_referenced_issues,
        }
    }

    /// The sentence that ties both.
    pub fn sentence(&self) -> String {
        let verb = if self.closes { "Closes" } else { "Related to" };
        format!("{verb} #{}", self.iid)
    }
}

/// The number of the issue that a branch begins with: 12 of `12-mend-the-door`.
pub fn issue_number(branch: &str) -> Option<i64> {
    let (number, _) = branch.split_once('-')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|number| is_number && *number > 0)
}

/// The words of a merge request of a branch with these commits, the oldest first: those of
/// the only commit, or of the first that has more than a title, else of the issue or the
/// branch.
pub fn words(branch: &str, commits: &[CommitText], issue: Option<BranchIssue<'_>>) -> Words {
    let mut own = commits.iter().filter(|commit| !commit.is_merge);
    let worded = match commits {
        [only] => Some(only),
        _ => own.find(|commit| commit.has_body()),
    };
    let worded = worded.filter(|commit| !commit.title().is_empty());
    let title = match (worded, issue) {
        (Some(commit), _) => commit.title().to_owned(),
        (None, Some(issue)) => format!("Resolve \"{}\"", issue.title),
        (None, None) => branch_words(branch),
    };
    Words {
        title: cut(&title),
        description: worded.map(CommitText::body).unwrap_or_default().to_owned(),
    }
}

/// A description with the sentence of the issue below it.
pub fn with_issue(description: &str, issue: Option<BranchIssue<'_>>) -> String {
    match (description.trim_end(), issue) {
        (_, None) => description.to_owned(),
        ("", Some(issue)) => issue.sentence(),
        (text, Some(issue)) => format!("{text}\n\n{}", issue.sentence()),
    }
}

/// `mend_the-door` as people write it.
fn branch_words(branch: &str) -> String {
    let words = branch.replace(['-', '_'], " ");
    let words: Vec<&str> = words.split_whitespace().collect();
    let words = words.join(" ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => branch.to_owned(),
    }
}

fn cut(title: &str) -> String {
    title.chars().take(LONGEST_TITLE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merging::messages::Named;

    fn commit(message: &str) -> CommitText {
        let author = Named { name: "Ada".into(), email: "ada@example.com".into() };
        CommitText {
            message: message.into(),
            author,
            is_merge: message.starts_with("Merge "),
        }
    }

    fn told(branch: &str, messages: &[&str]) -> (String, String) {
        let commits: Vec<CommitText> = messages.iter().map(|message| commit(message)).collect();
        let words = words(branch, &commits, None);
        (words.title, words.description)
    }

    #[test]
    fn commits_word_it_before_the_branch() {
        for (messages, title, description) in [
            (vec!["Mend\n\nIt hung.\n"], "Mend", "It hung."),
            (vec!["Mend"], "Mend", ""),
            (vec!["One", "Two\n\nMore.", "Three\n\nMost."], "Two", "More."),
            (vec!["Merge x\n\nof y", "Two\n\nMore."], "Two", "More."),
            (vec!["One", "Two"], "Mend the door", ""),
            (vec![], "Mend the door", ""),
            (vec!["\n"], "Mend the door", ""),
        ] {
            let expected = (title.to_owned(), description.to_owned());
            assert_eq!(told("mend-the_door", &messages), expected, "{messages:?}");
        }
        assert_eq!(told("x", &[&"y".repeat(300)]).0.len(), LONGEST_TITLE);
        assert_eq!(told("--", &[]).0, "--");
    }

    #[test]
    fn branches_name_issues() {
        for (branch, number) in [
            ("12-mend", Some(12)),
            ("12", None),
            ("x-12", None),
            ("+1-x", None),
            ("-x", None),
            ("0-x", None),
            ("99999999999999999999-x", None),
        ] {
            assert_eq!(issue_number(branch), number, "{branch}");
        }
        let issue = BranchIssue { iid: 12, title: "The door", closes: true };
        assert_eq!(words("12-mend", &[], Some(issue)).title, "Resolve \"The door\"");
        assert_eq!(with_issue("", Some(issue)), "Closes #12");
        assert_eq!(with_issue("It hung.\n", Some(issue)), "It hung.\n\nCloses #12");
        let open = BranchIssue { closes: false, ..issue };
        assert_eq!(with_issue("It hung.", Some(open)), "It hung.\n\nRelated to #12");
        assert_eq!(with_issue("It hung.", None), "It hung.");
    }
}
