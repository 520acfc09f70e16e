//! Headers by which mail programs sort, and leave a thread.

use super::Letter;
use crate::access::Parent;
use crate::rules::topic::OwnedTopic;
use kernel::incoming_mail::ReplyAddress;
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

/// Of mail about something in a project or group.
fn of_place(place: &Parent) -> Headers {
    let header = |name: &str, value: String| (format!("X-Service-{name}"), value);
    match place {
        Parent::Project(project) => of_project(project),
        Parent::Group(group) => vec![
            header("Group-Id", group.id.to_string()),
            header("Group-Path", group.full_path.clone()),
        ],
    }
}

impl Letter<'_> {
    pub(super) fn headers(&self) -> Headers {
        let mut headers = of_place(&self.seen.place);
        let mut add =
            |name: &str, value: String| headers.push((format!("X-Service-{name}"), value));
        let word = capitalised(self.seen.told.noun);
        add(&format!("{word}-ID"), self.news.about.id.to_string());
        let iid = self.seen.told.reference.trim_start_matches(|c: char| !c.is_ascii_digit());
        if !iid.is_empty() {
            add(&format!("{word}-IID"), iid.to_owned());
        }
        match &self.seen.subject {
            OwnedTopic::Issue(issue) => {
                add("Issue-State", issue.state.to_string());
                add("ConfidentialIssue", issue.confidential.to_string());
            }
            OwnedTopic::Epic(epic) => {
                add("Epic-State", epic.state.to_string());
                add("ConfidentialEpic", epic.confidential.to_string());
            }
            OwnedTopic::Thing(_) => {}
        }
        if let Some(note) = &self.seen.note {
            add("Discussion-ID", note.discussion_id.clone());
        }
        add("NotificationReason", self.reason.name().to_owned());
        headers.extend(self.reply_to());
        headers.extend(self.unsubscription());
        headers
    }

    /// By which mail programs leave the thread with one click (RFC 8058).
    fn unsubscription(&self) -> Headers {
        let mut ways = format!("<{}>", self.unsubscribe_url());
        if let Some(address) = self.reply_address() {
            ways += &format!(",<mailto:{}>", address.unsubscribing(&self.key));
        }
        vec![
            ("List-Unsubscribe".to_owned(), ways),
            ("List-Unsubscribe-Post".to_owned(), "List-Unsubscribe=One-Click".to_owned()),
        ]
    }

    /// Where answers go.
    fn reply_to(&self) -> Option<(String, String)> {
        let address = self.reply_address()?;
        // A path has no sign that an address would need quotes for, beside the slash.
        let path = &self.seen.told.place_path;
        Some(("Reply-To".to_owned(), format!("\"{path}\" <{}>", address.of(&self.key))))
    }

    pub(super) fn reply_address(&self) -> Option<&ReplyAddress> {
        self.app.config().incoming_mail.address.as_ref()
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), chars.as_str()),
        None => String::new(),
    }
}
