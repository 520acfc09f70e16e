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

/// The number in how something is named; none of a commit, whose name is none.
fn number(reference: &str) -> Option<&str> {
    let number = reference.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    Some(number).filter(|number| !number.is_empty() && !reference.starts_with('@'))
}

impl Letter<'_> {
    pub(super) fn headers(&self) -> Headers {
        let mut headers = of_place(&self.seen.place);
        let mut add =
            |name: &str, value: String| headers.push((format!("X-Service-{name}"), value));
        let word = capitalised(self.seen.told.noun);
        add(&format!("{word}-ID"), self.news.about.id.to_string());
        if let Some(iid) = number(&self.seen.told.reference) {
            add(&format!("{word}-IID"), iid.to_owned());
        }
        if !self.seen.told.state.is_empty() {
            add(&format!("{word}-State"), self.seen.told.state.clone());
        }
        match &self.seen.subject {
            OwnedTopic::Issue(issue) => {
                add("ConfidentialIssue", issue.confidential.to_string());
            }
            OwnedTopic::Epic(epic) => add("ConfidentialEpic", epic.confidential.to_string()),
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

/// Words as one, each with a capital letter.
fn capitalised(words: &str) -> String {
    let capitalised = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| format!("{}{}", first.to_uppercase(), chars.as_str()))
    };
    words.split(' ').filter_map(capitalised).collect()
}

#[cfg(test)]
mod tests {
    use super::{capitalised, number};

    #[test]
    fn things_of_several_words_are_one_word_in_headers() {
        assert_eq!(capitalised("issue"), "Issue");
        assert_eq!(capitalised("merge request"), "MergeRequest");
    }

    #[test]
    fn numbers_are_told_of_what_has_one() {
        let references = ["#12", "^alert#3", "&4", "@12345678", "@1a2b3c4d", ""];
        let numbers = [Some("12"), Some("3"), Some("4"), None, None, None];
        assert_eq!(references.map(number), numbers);
    }
}
