//! What is wrong with a document, as clients of the reference know it.

use serde_json::{Map, Value as Json, json};

/// A place in the text, from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pos {
    pub line: u32,
    pub column: u32,
}

/// One error that is known before anything runs.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticError {
    /// The text clients match on.
    pub message: String,
    pub locations: Vec<Pos>,
    /// Names through the document; left out when `None`.
    pub path: Option<Vec<String>>,
    /// `code` and what belongs to it.
    pub extensions: Box<Map<String, Json>>,
}

impl StaticError {
    /// An error with its stable code.
    pub fn new(code: &str, message: impl Into<String>) -> StaticError {
        let mut extensions = Map::new();
        extensions.insert("code".to_owned(), json!(code));
        StaticError {
            message: message.into(),
            locations: Vec::new(),
            path: None,
            extensions: Box::new(extensions),
        }
    }

    pub fn at(mut self, pos: Pos) -> StaticError {
        self.locations.push(pos);
        self
    }

    pub fn with(mut self, key: &str, value: impl Into<Json>) -> StaticError {
        self.extensions.insert(key.to_owned(), value.into());
        self
    }

    pub fn code(&self) -> &str {
        self.extensions["code"].as_str().unwrap_or_default()
    }

    /// As it stands in `errors`.
    pub fn json(&self) -> Json {
        let mut shown = Map::new();
        shown.insert("message".to_owned(), json!(self.message));
        shown.insert("locations".to_owned(), places(&self.locations));
        if let Some(path) = &self.path {
            shown.insert("path".to_owned(), json!(path));
        }
        let extensions = Json::Object((*self.extensions).clone());
        shown.insert("extensions".to_owned(), extensions);
        Json::Object(shown)
    }
}

/// Places as they stand in an error.
pub fn places(all: &[Pos]) -> Json {
    let place = |pos: &Pos| json!({"line": pos.line, "column": pos.column});
    Json::Array(all.iter().map(place).collect())
}
