//! What lists of issues, epics and merge requests are narrowed to, as callers say it.

use super::awards;
use crate::store::issues::filter::Has;
use crate::store::listed::Alike;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};

kernel::params! {
    /// What issues or merge requests of a list are like.
    pub struct AskedAlike {
        /// Only with all these labels; Any or None.
        pub labels: Option<Vec<String>>,
        /// Only of this milestone; Any or None.
        pub milestone: Option<String>,
        /// Only by this user.
        pub author_id: Option<i64>,
        /// Only by this user.
        pub author_username: Option<String>,
        /// Only assigned to this user; Any or None.
        pub assignee_id: Option<Has<i64>>,
        /// Only assigned to all these users.
        pub assignee_username: Option<Vec<String>>,
        /// Only with this reaction by the caller; Any or None.
        pub my_reaction_emoji: Option<String>,
    }
}

kernel::params! {
    /// What they are not like.
    pub struct AskedUnlike {
        /// None of these labels.
        pub labels: Option<Vec<String>>,
        /// Not of this milestone.
        pub milestone: Option<String>,
        /// Not by this user.
        pub author_id: Option<i64>,
        /// Not by this user.
        pub author_username: Option<String>,
        /// Not assigned to this user.
        pub assignee_id: Option<i64>,
        /// Not assigned to these users.
        pub assignee_username: Option<Vec<String>>,
        /// Without this reaction by the caller; Any or None.
        pub my_reaction_emoji: Option<String>,
    }
}

kernel::params! {
    /// A text that is looked for.
    pub struct AskedText {
        /// In what `in` says: title and description unless told.
        pub search: Option<String>,
        /// Where to search: `title`, `description`, or both with a comma.
        pub r#in as "in": Option<Vec<String>>,
    }
}

impl AskedAlike {
    pub fn read(&self, viewer: &Viewer) -> Alike {
        let unlike = AskedUnlike {
            labels: self.labels.clone(),
            milestone: self.milestone.clone(),
            author_id: self.author_id,
            author_username: self.author_username.clone(),
            assignee_id: None,
            assignee_username: self.assignee_username.clone(),
            my_reaction_emoji: self.my_reaction_emoji.clone(),
        };
        Alike {
            assignee: self.assignee_id.clone().map(or_nobody),
            ..unlike.read(viewer)
        }
    }
}

impl AskedUnlike {
    pub fn read(&self, viewer: &Viewer) -> Alike {
        Alike {
            labels: self.labels.clone().and_then(labels),
            milestone: self.milestone.as_deref().and_then(title),
            author_id: self.author_id,
            author_username: self.author_username.clone(),
            assignee: self.assignee_id.map(Has::This),
            assignee_usernames: self.assignee_username.clone().unwrap_or_default(),
            reaction: reaction(viewer, self.my_reaction_emoji.as_deref()),
        }
    }
}

impl AskedText {
    /// Whether to search in the title, and in the description, as far as that is said.
    ///
    /// # Errors
    ///
    /// 400 for another place.
    pub fn places(&self) -> Result<(bool, bool)> {
        let places = self.r#in.as_deref().unwrap_or_default();
        if places.iter().any(|one| one != "title" && one != "description") {
            return Err(Error::Parameters(vec!["in does not have a valid value".into()]));
        }
        let has = |place: &str| places.iter().any(|one| one == place);
        Ok((has("title"), has("description")))
    }
}

/// Nobody has the id 0.
pub fn or_nobody(asked: Has<i64>) -> Has<i64> {
    match asked {
        Has::This(0) => Has::None,
        other => other,
    }
}

/// Refuses to ask for one thing in two ways: of each pair its names, and whether each is
/// there.
///
/// # Errors
///
/// 400 with all pairs that are.
pub fn check_pairs(pairs: &[(&str, bool, bool)]) -> Result<()> {
    let wrong = pairs.iter().filter(|(_, one, other)| *one && *other);
    let texts: Vec<String> =
        wrong.map(|(names, ..)| format!("{names} are mutually exclusive")).collect();
    match texts.is_empty() {
        true => Ok(()),
        false => Err(Error::Parameters(texts)),
    }
}

/// Labels, or milestones, by title; `Any` or `None` alone.
pub fn labels(titles: Vec<String>) -> Option<Has<Vec<String>>> {
    let titles: Vec<String> = titles.into_iter().filter(|one| !one.is_empty()).collect();
    match titles.as_slice() {
        [] => None,
        [only] => title(only),
        _ => Some(Has::This(titles)),
    }
}

/// One title, `Any` or `None`.
pub fn title(text: &str) -> Option<Has<Vec<String>>> {
    Has::of(text, |title| vec![title.to_owned()])
}

/// A reaction of the viewer; strangers, who have none, are user 0.
pub fn reaction(viewer: &Viewer, asked: Option<&str>) -> Option<(i64, Has<String>)> {
    let wanted = awards::wanted(asked?)?;
    Some((viewer.user_id().unwrap_or(0), wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_some_any_or_none() {
        let read = |titles: &[&str]| labels(titles.iter().map(|one| (*one).to_owned()).collect());
        let these =
            |titles: &[&str]| Some(Has::This(titles.iter().map(|one| (*one).to_owned()).collect()));
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[""]), None);
        assert_eq!(read(&["bug"]), these(&["bug"]));
        assert_eq!(read(&["", "Any"]), Some(Has::Any));
        assert_eq!(read(&["none"]), Some(Has::None));
        assert_eq!(read(&["any", "bug", ""]), these(&["any", "bug"]));
    }

    #[test]
    fn strangers_reacted_to_nothing() {
        let stranger = Viewer::default();
        assert_eq!(reaction(&stranger, Some("Any")), Some((0, Has::Any)));
        assert_eq!(reaction(&stranger, Some("+1")), Some((0, Has::This("thumbsup".into()))));
        assert_eq!(reaction(&stranger, Some("")), None);
        assert_eq!(reaction(&stranger, None), None);
    }
}
