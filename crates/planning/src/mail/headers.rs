//! Headers by which mail programs sort, and leave a thread.

use super::Letter;
use crate::rules::topic::OwnedTopic;
use spaces::model::Project;

type Headers = Vec<(String, String)>;

/// Of mail about a project.
pub fn of_project(project: &Project) -> Headers {
    let header = |name: &str, value: String| (format!("X-Service-{name}"), value);
    vec![
        header("Project", project.name.clone()),
        header("Project-Id", project.id.to_string()),
        header("Project-Path", project.full_path.clone()),
    ]
}

impl Letter<'_> {
    pub(super) fn headers(&self) -> Headers {
        let mut headers = of_project(&self.seen.project);
        let mut add =
            |name: &str, value: String| headers.push((format!("X-Service-{name}"), value));
        let word = capitalised(self.seen.told.noun);
        add(&format!("{word}-ID"), self.news.about.id.to_string());
        let iid = self.seen.told.reference.trim_start_matches(|c: char| !c.is_ascii_digit());
        if !iid.is_empty() {
            add(&format!("{word}-IID"), iid.to_owned());
        }
        if let OwnedTopic::Issue(issue) = &self.seen.subject {
            add("Issue-State", issue.state.to_string());
            add("ConfidentialIssue", issue.confidential.to_string());
        }
        if let Some(note) = &self.seen.note {
            add("Discussion-ID", note.discussion_id.clone());
        }
        add("NotificationReason", self.reason.name().to_owned());
        headers.extend(self.unsubscription());
        headers
    }

    /// By which mail programs leave the thread with one click (RFC 8058).
    fn unsubscription(&self) -> Headers {
        vec![
            ("List-Unsubscribe".to_owned(), format!("<{}>", self.unsubscribe_url())),
            ("List-Unsubscribe-Post".to_owned(), "List-Unsubscribe=One-Click".to_owned()),
        ]
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), chars.as_str()),
        None => String::new(),
    }
}
