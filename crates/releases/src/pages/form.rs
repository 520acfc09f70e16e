//! What forms of releases send, and what it means to the rules.

use crate::access::Releases;
use crate::model::{LinkType, Release};
use crate::related::Related;
use crate::rules::links::LinkInput;
use crate::rules::{ReleaseChange, ReleaseInput, in_words};
use kernel::error::{Error, Result};
use kernel::http::Patch;
use kernel::http::params::Text;
use kernel::time::{Date, Timestamp, date_of, start_of};

/// Fields of the forms, for what is wrong with them.
pub const FIELDS: &[&str] = &[
    "tag_name",
    "ref",
    "name",
    "description",
    "milestones",
    "released_on",
    "link_name",
    "link_url",
    "link_filepath",
];

kernel::params! {
    #[derive(Default)]
    pub struct ReleaseTexts {
        pub tag_name: Text,
        pub r#ref as "ref": Text,
        pub tag_message: Text,
        pub name: Text,
        pub description: Text,
        /// Titles, one a line.
        pub milestones: Text,
        pub released_on: Text,
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct LinkTexts {
        pub link_name: Text,
        pub link_url: Text,
        pub link_filepath: Text,
        pub link_type: Option<LinkType>,
    }
}

impl LinkTexts {
    pub fn kind(&self) -> LinkType {
        self.link_type.unwrap_or_default()
    }

    pub fn input(&self) -> LinkInput {
        LinkInput {
            name: self.link_name.0.clone(),
            url: self.link_url.0.clone(),
            direct_asset_path: Some(self.link_filepath.trim().to_owned()),
            filepath: None,
            link_type: self.link_type,
        }
    }

    /// A refusal of a link in the words of the form.
    pub fn refusal(error: Error) -> Error {
        let Error::Invalid(mut fields) = error else {
            return error;
        };
        for (name, _) in &mut fields {
            *name = format!("link_{name}");
        }
        Error::Invalid(fields)
    }
}

impl ReleaseTexts {
    /// What is stored of a release.
    pub fn stored(here: &Releases, release: &Release, related: &Related) -> ReleaseTexts {
        let goals = related.milestones(here, release).into_iter();
        let titles: Vec<&str> = goals.map(|(goal, _)| goal.title.as_str()).collect();
        ReleaseTexts {
            name: release.name.clone().unwrap_or_default().into(),
            description: release.text().to_owned().into(),
            milestones: titles.join("\n").into(),
            released_on: date_of(release.released_at).to_string().into(),
            ..ReleaseTexts::default()
        }
    }

    fn titles(&self) -> Vec<String> {
        let lines = self.milestones.lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    fn description(&self) -> String {
        self.description.replace("\r\n", "\n")
    }

    /// When it comes out: at the begin of a day, but for the day it has already.
    fn released_at(&self, was: Option<Timestamp>) -> Result<Option<Timestamp>> {
        let text = self.released_on.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let day: Date = text.parse().map_err(|_| Error::invalid("released_on", "is no date"))?;
        let is_same = |at: &Timestamp| date_of(*at) == day;
        Ok(Some(was.filter(is_same).unwrap_or_else(|| start_of(day))))
    }

    pub fn input(&self, now: Timestamp) -> Result<ReleaseInput> {
        let titles = self.titles();
        Ok(ReleaseInput {
            tag_name: self.tag_name.trim().to_owned(),
            tag_message: Some(self.tag_message.replace("\r\n", "\n")),
            r#ref: Some(self.r#ref.trim().to_owned()),
            name: Some(self.name.0.clone()),
            description: Some(self.description()),
            milestones: (!titles.is_empty()).then_some(titles),
            milestone_ids: None,
            released_at: self.released_at(Some(now))?,
            assets: None,
        })
    }

    pub fn change(&self, was: Timestamp) -> Result<ReleaseChange> {
        Ok(ReleaseChange {
            name: Patch::Value(self.name.0.clone()),
            description: Patch::Value(self.description()),
            released_at: self.released_at(Some(was))?,
            milestones: Some(self.titles()),
            milestone_ids: None,
        })
    }
}

/// A refusal with a text for clients, in the words of a form.
pub fn refusal(error: Error) -> Error {
    match in_words(error) {
        Error::BadRequest(text) if text.starts_with("Milestone") => {
            Error::invalid("milestones", lowered(&text))
        }
        Error::Unprocessable(text) if text.starts_with("Ref ") || text.starts_with("Target ") => {
            Error::invalid("ref", lowered(&text))
        }
        Error::Unprocessable(text) if text.starts_with("Tag ") => {
            Error::invalid("tag_name", lowered(&text))
        }
        Error::Conflict(text) => Error::invalid("tag_name", lowered(&text)),
        other => other,
    }
}

/// A text as it stands beside a field.
fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}
