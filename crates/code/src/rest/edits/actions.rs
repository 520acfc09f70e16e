//! Actions on files as they are sent.

use crate::content;
use bytes::Bytes;
use kernel::error::{Error, Result};
use kernel::http::params::{FromParams, Json, Param, Unusable};
use repositories::edits::{Action, ActionKind, MAX_ACTIONS};
use serde_json::json;

kernel::choices! {
    /// What is done to a file.
    pub enum ActionName {
        Create = "create",
        Update = "update",
        Delete = "delete",
        Move = "move",
        Chmod = "chmod",
    }
}

kernel::choices! {
    /// How content is written.
    pub enum ContentEncoding {
        Text = "text",
        Base64 = "base64",
    }
}

/// What a file holds. Unlike other texts it may have any character.
#[derive(Debug, Clone, Default)]
pub struct Content(String);

impl Param for Content {
    fn parse(value: &Json) -> Result<Self, Unusable> {
        match value {
            Json::String(text) => Ok(Content(text.clone())),
            Json::Number(number) => Ok(Content(number.to_string())),
            Json::Bool(flag) => Ok(Content(flag.to_string())),
            _ => Err(Unusable::Invalid),
        }
    }
    fn schema() -> Json {
        json!({"type": "string"})
    }
}

impl Content {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Its bytes.
    pub fn decoded(&self, encoding: Option<ContentEncoding>) -> Result<Bytes> {
        let bytes = content::decoded(&self.0, encoding == Some(ContentEncoding::Base64));
        bytes.ok_or_else(|| Error::Exact(400, json!({"message": content::NOT_BASE64})))
    }
}

kernel::params! {
    /// What is done to one file.
    pub struct ActionParams {
        /// What is done.
        pub action: ActionName,
        /// Path of the file.
        pub file_path: String,
        /// Where it was, for a move.
        pub previous_path: Option<String>,
        /// What it holds.
        pub content: Option<Content>,
        /// How the content is written; text unless said.
        pub encoding: Option<ContentEncoding>,
        /// The last commit of the file that is known.
        pub last_commit_id: Option<String>,
        /// Whether it may be started as a program.
        pub execute_filemode: Option<bool>,
    }
}

/// Some actions, in turn.
#[derive(Debug, Clone)]
pub struct Actions(pub Vec<ActionParams>);

impl Param for Actions {
    fn parse(value: &Json) -> Result<Self, Unusable> {
        let items: Vec<&Json> = match value {
            Json::Array(items) => items.iter().collect(),
            Json::Object(items) if items.keys().all(|key| key.parse::<usize>().is_ok()) => {
                let mut items: Vec<_> = items.iter().collect();
                items.sort_by_key(|(key, _)| key.parse::<usize>().unwrap_or(usize::MAX));
                items.into_iter().map(|(_, item)| item).collect()
            }
            Json::String(text) if text.is_empty() => Vec::new(),
            _ => return Err(Unusable::Invalid),
        };
        if items.len() > MAX_ACTIONS {
            return Err(Unusable::Invalid);
        }
        let (mut actions, mut errors) = (Vec::with_capacity(items.len()), Vec::new());
        for (index, item) in items.into_iter().enumerate() {
            match read(item) {
                Ok(action) => actions.push(action),
                Err(texts) => errors.extend(texts.iter().map(|text| below(index, text))),
            }
        }
        match errors.is_empty() {
            true => Ok(Actions(actions)),
            false => Err(Unusable::Nested(errors)),
        }
    }
    fn schema() -> Json {
        json!({"type": "array", "items": ActionParams::schema()})
    }
}

/// `file_path is missing` of the third action, below the name of them all.
fn below(index: usize, text: &str) -> String {
    match text.split_once(' ') {
        Some((field, rest)) => format!("{index}[{field}] {rest}"),
        None => format!("{index} {text}"),
    }
}

fn read(item: &Json) -> Result<ActionParams, Vec<String>> {
    let object = item.as_object().ok_or_else(|| vec!["action is missing".to_owned()])?;
    let action = ActionParams::from_params(object)?;
    let needed = match action.action {
        ActionName::Update if action.content.is_none() => "content is missing",
        ActionName::Move if action.previous_path.is_none() => "previous_path is missing",
        ActionName::Chmod if action.execute_filemode.is_none() => "execute_filemode is missing",
        _ => return Ok(action),
    };
    Err(vec![needed.to_owned()])
}

impl ActionParams {
    /// What it asks for.
    pub fn to_action(&self) -> Result<Action> {
        let kind = match self.action {
            ActionName::Create => ActionKind::Create,
            ActionName::Update => ActionKind::Update,
            ActionName::Delete => ActionKind::Delete,
            ActionName::Move => ActionKind::Move,
            ActionName::Chmod => ActionKind::Chmod,
        };
        let checks = !matches!(self.action, ActionName::Create | ActionName::Chmod);
        let content = self.content.as_ref();
        Ok(Action {
            previous_path: self.previous_path.clone().filter(|_| kind == ActionKind::Move),
            content: content.map(|content| content.decoded(self.encoding)).transpose()?,
            is_program: self.execute_filemode,
            last_commit_id: self.last_commit_id.clone().filter(|id| checks && !id.is_empty()),
            ..Action::new(kind, self.file_path.clone())
        })
    }
}
