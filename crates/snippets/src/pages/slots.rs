//! The files of a form: as many as there are, and one more for who wants it.

use crate::model::MOST_FILES;
use crate::rules::{ActionName, FileAction};
use code::line_ends::restored;
use kernel::http::params::{FromParams, Param, Text, Unusable};
use repositories::formats::object_id::ObjectId;
use serde_json::{Value, json};

kernel::params! {
    /// A file as it is typed.
    #[derive(Default)]
    pub struct Slot {
        pub path: Text,
        /// Where it was; empty of a new one.
        pub previous: Text,
        /// The file that its writer has seen.
        pub seen: Text,
        pub content: Text,
        /// It shall go.
        pub gone: Option<bool>,
    }
}

/// All of them, by their numbers.
#[derive(Debug, Clone, Default)]
pub struct Slots(pub Vec<Slot>);

impl Param for Slots {
    fn parse(value: &Value) -> Result<Slots, Unusable> {
        let numbered = value.as_object().ok_or(Unusable::Invalid)?;
        let mut slots: Vec<(usize, &Value)> = Vec::new();
        for (number, slot) in numbered {
            slots.push((number.parse().map_err(|_| Unusable::Invalid)?, slot));
        }
        slots.sort_by_key(|(number, _)| *number);
        let slots = slots.into_iter().take(MOST_FILES);
        let slot = |(_, value): (usize, &Value)| {
            let fields = value.as_object().ok_or(Unusable::Invalid)?;
            Slot::from_params(fields).map_err(Unusable::Nested)
        };
        slots.map(slot).collect::<Result<_, _>>().map(Slots)
    }

    fn absent() -> Option<Slots> {
        Some(Slots::default())
    }

    fn schema() -> Value {
        json!({"type": "object"})
    }
}

impl Slot {
    fn is_new(&self) -> bool {
        self.previous.is_empty()
    }

    /// Nothing was typed into it.
    fn is_blank(&self) -> bool {
        self.is_new() && self.path.trim().is_empty() && self.content.trim().is_empty()
    }

    /// What it asks for, where the file was this before.
    fn action(&self, before: Option<&str>) -> Option<FileAction> {
        let gone = self.gone == Some(true);
        let content = restored(before.unwrap_or_default(), &self.content);
        let path = self.path.trim().to_owned();
        let is_same = path == *self.previous && before == Some(content.as_str());
        let action = match (self.is_new(), gone) {
            (true, true) => return None,
            (true, false) => ActionName::Create,
            (false, true) => ActionName::Delete,
            (false, false) if is_same => return None,
            (false, false) if path == *self.previous => ActionName::Update,
            (false, false) => ActionName::Move,
        };
        Some(FileAction {
            path: match action {
                ActionName::Delete => self.previous.0.clone(),
                _ => path,
            },
            previous_path: (action == ActionName::Move).then(|| self.previous.0.clone()),
            // A name alone moves what is no text.
            content: match (action, before.is_some() || self.is_new()) {
                (ActionName::Delete, _) | (_, false) => None,
                _ => Some(content),
            },
            // A form without it was written by no page of ours: it changes nothing blindly.
            seen: match action {
                ActionName::Create => None,
                _ => Some(self.seen.parse().unwrap_or(ObjectId::ZERO)),
            },
            action,
        })
    }
}

impl Slots {
    /// What they ask for; `before` says what a file held, if it is a text.
    pub fn actions(&self, before: impl Fn(&str) -> Option<String>) -> Vec<FileAction> {
        let asked = self.0.iter().filter(|slot| !slot.is_blank());
        asked
            .filter_map(|slot| slot.action(before(&slot.previous).as_deref()))
            .collect()
    }

    /// The same with an empty one at the end, if there may be one more.
    pub fn with_one_more(mut self) -> Slots {
        if self.0.len() < MOST_FILES {
            self.0.push(Slot::default());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(previous: &str, path: &str, content: &str) -> Slot {
        Slot {
            path: path.to_owned().into(),
            previous: previous.to_owned().into(),
            content: content.to_owned().into(),
            ..Slot::default()
        }
    }

    #[test]
    fn slots_become_actions() {
        let done = |slot: &Slot| {
            let action = slot.action(Some("old\n").filter(|_| !slot.is_new()));
            action.map(|one| (one.action, one.path, one.content))
        };
        let text = |text: &str| Some(text.to_owned());
        let new = (ActionName::Create, "b".to_owned(), text("x"));
        assert_eq!(done(&slot("", "b", "x")), Some(new));
        assert_eq!(done(&slot("a", "a", "old\r\n")), None, "browsers send other ends of lines");
        let changed = (ActionName::Update, "a".to_owned(), text("x"));
        assert_eq!(done(&slot("a", "a", "x")), Some(changed));
        let moved = (ActionName::Move, "b".to_owned(), text("old\n"));
        assert_eq!(done(&slot("a", "b", "old\n")), Some(moved));
        let gone = Slot { gone: Some(true), ..slot("a", "b", "x") };
        assert_eq!(done(&gone), Some((ActionName::Delete, "a".to_owned(), None)));
        assert!(slot("", " ", "\n").is_blank());
    }

    #[test]
    fn numbers_say_their_order() {
        let sent = json!({"10": {"path": "b"}, "2": {"path": "a"}});
        let slots = Slots::parse(&sent).expect("they are read");
        let paths: Vec<&str> = slots.0.iter().map(|slot| &*slot.path).collect();
        assert_eq!(paths, ["a", "b"]);
        assert!(Slots::parse(&json!({"x": {}})).is_err());
        assert!(Slots::parse(&json!([])).is_err());
    }
}
