//! What one operation answered, and how the answers are sent.

use super::{persisted, sent, text, write_cost};
use crate::execute::{Outcome, UNDONE, UNDONE_CODE};
use crate::validation::{Checked, INTROSPECTION_COMPLEXITY, StaticError};
use http::StatusCode;
use kernel::error::Result;
use kernel::graph::media;
use kernel::http::reply::Response;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

pub struct Answered {
    body: String,
    /// Refused before it ran, so that there is no `data`.
    refused: bool,
    /// Score and limit, where there is a score.
    cost: Option<(u64, u64)>,
    /// It asked about the interface only, so everyone gets the same.
    pub about_itself: bool,
}

impl Answered {
    /// An entry with these errors.
    pub fn refused(errors: &[StaticError]) -> Answered {
        let all: Vec<Json> = errors.iter().map(StaticError::json).collect();
        Answered {
            body: text(&json!({"errors": all})),
            // An unknown digest is a step on the way, not a refusal.
            refused: !errors.iter().any(is_about_digest),
            cost: errors.iter().find_map(too_much),
            about_itself: false,
        }
    }

    /// The same for an entry that has a score of its own.
    pub fn costing(mut self, checked: Option<&Checked>) -> Answered {
        self.cost = checked.map(|checked| (checked.score, checked.limit));
        self
    }

    /// An entry that ran, with what it asked to be told.
    pub fn of(outcome: Outcome, checked: &Checked, extensions: Map<String, Json>) -> Answered {
        let whole = outcome.errors.is_empty();
        Answered {
            about_itself: whole && checked.limit == INTROSPECTION_COMPLEXITY,
            ..Answered::accepted(with(outcome.json(), extensions), checked)
        }
    }

    /// An entry whose changes were undone, or not begun, since another of its
    /// batch failed.
    pub fn undone(checked: &Checked) -> Answered {
        let error = json!({"message": UNDONE, "extensions": {"code": UNDONE_CODE}});
        Answered::accepted(json!({"errors": [error], "data": null}), checked)
    }

    /// An entry that was scored and not run.
    pub fn scored(checked: &Checked, extensions: Map<String, Json>) -> Answered {
        Answered::accepted(with(json!({"data": null}), extensions), checked)
    }

    fn accepted(body: Json, checked: &Checked) -> Answered {
        Answered {
            body: text(&body),
            refused: false,
            cost: Some((checked.score, checked.limit)),
            about_itself: false,
        }
    }
}

fn is_about_digest(error: &StaticError) -> bool {
    [persisted::NOT_FOUND, persisted::NOT_SUPPORTED].contains(&error.code())
}

/// Score and limit that an error tells.
fn too_much(error: &StaticError) -> Option<(u64, u64)> {
    let number = |name: &str| error.extensions.get(name).and_then(Json::as_u64);
    Some((number("score")?, number("limit")?))
}

fn with(mut body: Json, extensions: Map<String, Json>) -> Json {
    if !extensions.is_empty() {
        body["extensions"] = Json::Object(extensions);
    }
    body
}

pub struct Whole {
    /// In the order of the entries.
    pub answers: Vec<Arc<Answered>>,
    pub batch: bool,
    /// In the strict media type, with its statuses.
    pub strict: bool,
}

impl Whole {
    pub fn response(self) -> Result<Response> {
        let bodies: Vec<&str> = self.answers.iter().map(|one| one.body.as_str()).collect();
        let refused = !self.batch && self.answers.iter().all(|one| one.refused);
        let status = if self.strict && refused {
            StatusCode::BAD_REQUEST
        } else {
            StatusCode::OK
        };
        let body = if self.batch {
            format!("[{}]", bodies.join(","))
        } else {
            bodies.concat()
        };
        let mut response = sent(status, body, media::answer(self.strict));
        let costs: Vec<(u64, u64)> = self.answers.iter().filter_map(|one| one.cost).collect();
        if let Some(limit) = costs.iter().map(|cost| cost.1).max() {
            write_cost(&mut response, costs.iter().map(|cost| cost.0).sum(), limit);
        }
        Ok(response)
    }
}
