//! What is said of a merge request with `git push -o merge_request.…`, `mr.…` in short. Pure.

/// What all these options begin with.
const NAMES: [&str; 2] = ["merge_request.", "mr."];

/// What a push wants of the merge requests of its branches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub create: bool,
    pub target: Option<String>,
    /// Path of the project that it is for.
    pub target_project: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub draft: Option<bool>,
    /// Titles.
    pub labels: Vec<String>,
    pub unlabels: Vec<String>,
    /// Ids or names of users.
    pub assign: Vec<String>,
    pub unassign: Vec<String>,
    pub milestone: Option<String>,
    pub remove_source_branch: Option<bool>,
    pub squash: Option<bool>,
    pub auto_merge: bool,
    /// All of them, as they were sent.
    pub sent: Vec<String>,
    /// What cannot be read.
    pub problems: Vec<String>,
}

impl Options {
    /// Nothing where none is about merge requests.
    pub fn read(sent: &[String]) -> Option<Options> {
        let mut options = Options::default();
        for one in sent {
            let named = NAMES.iter().find_map(|name| one.strip_prefix(name));
            if let Some(rest) = named {
                options.sent.push(one.clone());
                options.take(rest);
            }
        }
        (!options.sent.is_empty()).then_some(options)
    }

    fn take(&mut self, said: &str) {
        let (key, value) = match said.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (said, None),
        };
        match key {
            "create" => self.create = is_set(value),
            "draft" => self.draft = Some(is_set(value)),
            "remove_source_branch" => self.remove_source_branch = Some(is_set(value)),
            "squash" => self.squash = Some(is_set(value)),
            "auto_merge" | "merge_when_pipeline_succeeds" => self.auto_merge = is_set(value),
            _ => match value.map(str::trim).filter(|value| !value.is_empty()) {
                Some(value) => self.take_text(key, value),
                None if is_text(key) => self.problems.push(format!("{key} needs a value")),
                None => self.problems.push(format!("{key} is not known")),
            },
        }
    }

    fn take_text(&mut self, key: &str, value: &str) {
        let text = value.to_owned();
        match key {
            "target" => self.target = Some(text),
            "target_project" => self.target_project = Some(text),
            "title" => self.title = Some(text),
            "description" => self.description = Some(value.replace("\\n", "\n")),
            "milestone" => self.milestone = Some(text),
            "label" => self.labels.push(text),
            "unlabel" => self.unlabels.push(text),
            "assign" => self.assign.push(text),
            "unassign" => self.unassign.push(text),
            _ => self.problems.push(format!("{key} is not known")),
        }
    }
}

/// Options that say a text.
fn is_text(key: &str) -> bool {
    [
        "target",
        "target_project",
        "title",
        "description",
        "milestone",
        "label",
        "unlabel",
        "assign",
        "unassign",
    ]
    .contains(&key)
}

/// Whether an option is meant: without a value it is.
fn is_set(value: Option<&str>) -> bool {
    let no = ["false", "0", "no", "off"];
    value.is_none_or(|value| !no.contains(&value.trim().to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sent: &[&str]) -> Option<Options> {
        let sent: Vec<String> = sent.iter().map(|one| (*one).to_owned()).collect();
        Options::read(&sent)
    }

    #[test]
    fn others_are_left_alone() {
        assert_eq!(read(&[]), None);
        assert_eq!(read(&["ci.skip", "merge_requests.create", "mr", "create"]), None);
    }

    #[test]
    fn all_of_them_are_read_by_either_name() {
        let sent = [
            "merge_request.create",
            "mr.target=main",
            "mr.target_project=acme/forge",
            "mr.title=An anvil = heavy",
            "mr.description=One\\nTwo",
            "mr.draft",
            "mr.label=iron",
            "mr.label=black",
            "mr.unlabel=wood",
            "mr.assign=7",
            "mr.unassign=jane",
            "mr.milestone=1.0",
            "mr.remove_source_branch=false",
            "mr.squash=TRUE",
            "merge_request.merge_when_pipeline_succeeds",
        ];
        let found = read(&sent).expect("options");
        let text = |text: &str| Some(text.to_owned());
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let wanted = Options {
            create: true,
            target: text("main"),
            target_project: text("acme/forge"),
            title: text("An anvil = heavy"),
            description: text("One\nTwo"),
            draft: Some(true),
            labels: texts(&["iron", "black"]),
            unlabels: texts(&["wood"]),
            assign: texts(&["7"]),
            unassign: texts(&["jane"]),
            milestone: text("1.0"),
            remove_source_branch: Some(false),
            squash: Some(true),
            auto_merge: true,
            sent: texts(&sent),
            problems: Vec::new(),
        };
        assert_eq!(found, wanted);
        assert!(read(&["mr.auto_merge"]).is_some_and(|found| found.auto_merge));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let found = read(&["mr.title", "mr.label=", "mr.sqash", "mr.colour=red"]);
        let problems = found.expect("options").problems;
        assert_eq!(
            problems,
            [
                "title needs a value",
                "label needs a value",
                "sqash is not known",
                "colour is not known"
            ]
        );
    }
}
