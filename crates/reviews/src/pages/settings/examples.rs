//! What messages say by their templates, of a merge request that serves as an example.

use super::merging::Merging;
use crate::merging::messages::{
    CommitText, Context, Named, merge_message, squash_message, variables,
};
use crate::suggestions::message::Person;
use crate::suggestions::{MessageFacts, message};

/// What may stand in the message of suggestions, each with what it stands for.
const OF_SUGGESTIONS: &[(&str, &str)] = &[
    ("branch_name", "The branch that is changed"),
    ("suggestions_count", "How many suggestions are applied"),
    ("files_count", "How many files change"),
    ("file_paths", "Paths of these files"),
    ("project_name", "Name of the project"),
    ("project_path", "Path of the project"),
    ("user_full_name", "Name of who applies"),
    ("username", "User name of who applies"),
    ("co_authored_by", "Who else suggested something, a line for each"),
];
const PEOPLE: [Person<'_>; 1] = [Person { name: "Tom Ebele", email: "tom@example.com" }];
const FACTS: MessageFacts<'_> = MessageFacts {
    branch_name: "mend-the-door",
    file_paths: &["door.txt", "hinge.txt"],
    project_name: "Anvil",
    project_path: "acme/anvil",
    user_full_name: "Mira Lindqvist",
    username: "mira",
    suggestions_count: 3,
    co_authors: &PEOPLE,
};

/// Messages of an example.
#[derive(Debug)]
pub struct Examples {
    pub merge: String,
    pub squash: String,
    pub suggestion: String,
    /// What may stand in the first two, and in the third.
    pub variables: Vec<(String, &'static str)>,
    pub of_suggestions: Vec<(String, &'static str)>,
}

impl Examples {
    /// Those that these settings make.
    pub fn of(merging: &Merging) -> Examples {
        let context = context();
        let (merge, squash) = (&*merging.merge_commit_template, &*merging.squash_commit_template);
        let suggestion = &*merging.suggestion_commit_message;
        Examples {
            merge: merge_message(None, Some(merge), &context),
            squash: squash_message(None, Some(squash), &context),
            suggestion: message(None, Some(suggestion), &FACTS),
            variables: written(&variables()),
            of_suggestions: written(OF_SUGGESTIONS),
        }
    }
}

/// Variables as they are written.
fn written(variables: &[(&'static str, &'static str)]) -> Vec<(String, &'static str)> {
    variables
        .iter()
        .map(|(name, meaning)| (format!("%{{{name}}}"), *meaning))
        .collect()
}

fn context() -> Context {
    let mira = Named::new("Mira Lindqvist", "mira@example.com");
    let tom = Named::new("Tom Ebele", "tom@example.com");
    let commit = |message: &str, author: &Named| CommitText {
        message: message.to_owned(),
        author: author.clone(),
        is_merge: false,
    };
    Context {
        source_branch: "mend-the-door".into(),
        target_branch: "main".into(),
        title: "Mend the door".into(),
        description: "It hung askew.".into(),
        closes: vec!["#12".into()],
        full_reference: "acme/anvil!5".into(),
        local_reference: "!5".into(),
        source_project_id: Some(7),
        url: "https://tenon.example.com/acme/anvil/-/merge_requests/5".into(),
        reviewers: vec![tom.clone()],
        approvers: vec![tom.clone()],
        merger: Some(mira.clone()),
        commits: vec![
            commit("Oil the hinge", &mira),
            commit("Plane the door\n\nIt was too wide.", &tom),
        ],
        author: Some(mira),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::http::Text;

    #[test]
    fn every_variable_that_is_named_is_known() {
        for (name, _) in OF_SUGGESTIONS {
            let template = Text(format!("%{{{name}}}"));
            let merging = Merging { suggestion_commit_message: template, ..Merging::default() };
            assert!(!Examples::of(&merging).suggestion.contains("%{"), "{name}");
        }
        for (name, _) in variables() {
            let template = Text(format!("x %{{{name}}}"));
            let merging = Merging { merge_commit_template: template, ..Merging::default() };
            let merge = Examples::of(&merging).merge;
            assert!(!merge.contains("%{") && merge.len() > 2, "{name}: {merge}");
        }
    }

    #[test]
    fn without_templates_messages_are_the_usual_ones() {
        let usual = Examples::of(&Merging::default());
        assert!(usual.merge.starts_with("Merge branch 'mend-the-door' into 'main'"));
        assert_eq!(usual.squash, "Mend the door");
        assert_eq!(usual.suggestion, "Apply 3 suggestion(s) to 2 file(s)");
    }
}
