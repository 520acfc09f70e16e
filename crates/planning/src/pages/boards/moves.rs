//! `POST …/-/boards/move`: a card goes elsewhere. The script of boards gets its answer
//! as JSON, forms are led back to the board.

use super::{BoardQuery, Shown, parts};
use crate::model::boards::Key;
use crate::pages::list::filter;
use crate::pages::narrowed::at;
use crate::rules::boards::moves::{CardMove, Spot, Table};
use crate::store::boards::cards::Asked;
use http::{HeaderValue, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::http::params::Text;
use kernel::http::{Params, RequestContext, Response, reply};
use serde::Serialize;
use spaces::pages::Visit;
use std::sync::Arc;

kernel::choices! {
    pub enum Place { Top = "top", Bottom = "bottom", Up = "up", Down = "down" }
}

kernel::params! {
    pub struct MoveForm {
        /// Id of the issue.
        pub issue_id: i64,
        /// The column it was seen in.
        pub from: Text,
        /// The column it goes to.
        pub to: Text,
        /// Where in that column, unless neighbours tell.
        pub spot: Option<Place>,
        /// The card that it goes below.
        pub below: Option<i64>,
        /// The card that it goes above.
        pub above: Option<i64>,
    }
}

impl MoveForm {
    fn asked(&self) -> Result<CardMove> {
        let key = |name: &str, text: &str| {
            let unusable = || Error::Parameters(vec![format!("{name} is invalid")]);
            text.parse::<Key>().map_err(|()| unusable())
        };
        let spot = match self.spot {
            Some(Place::Top) => Spot::Top,
            Some(Place::Bottom) => Spot::Bottom,
            Some(Place::Up) => Spot::Up,
            Some(Place::Down) => Spot::Down,
            None => Spot::Between { below: self.below, above: self.above },
        };
        Ok(CardMove {
            issue_id: self.issue_id,
            from: key("from", &self.from)?,
            to: key("to", &self.to)?,
            spot,
        })
    }
}

/// What the script of boards is told.
#[derive(Debug, Serialize)]
struct Moved {
    said: String,
    /// The columns that it went from and to, as they are now.
    columns: Vec<Told>,
}

#[derive(Debug, Serialize)]
struct Told {
    key: String,
    number: String,
    about: String,
    weight: i64,
}

pub async fn carry(
    app: App, visit: Visit, request: Arc<RequestContext>, Params(form): Params<MoveForm>,
    Params(query): Params<BoardQuery>,
) -> Result<Response> {
    let asked = form.asked()?;
    let (by, query) = (visit.clone(), Arc::new(query));
    let shown = query.clone();
    let url = app
        .read(move |tx| Ok(Shown::find(tx, &by.viewer, &by.address, shown.board_id)?.url()))
        .await?;
    let board = query.clone();
    let done = app
        .write(move |tx| {
            let viewer = &visit.viewer;
            let shown = Shown::find(tx, viewer, &visit.address, board.board_id)?;
            let table = Table { viewer, scope: &shown.scope, columns: &shown.columns };
            let issue = table.carry(tx, asked)?;
            let narrowed = filter(&board.filters(), None);
            let cards = Asked {
                viewer,
                scope: &shown.scope,
                filter: &narrowed,
                columns: &shown.columns,
            };
            let mut keys = vec![asked.from];
            keys.extend((asked.to != asked.from).then_some(asked.to));
            let counts = cards.counts(tx, &keys)?;
            let told = |key: &Key| {
                let count = counts.get(&key.number()).copied().unwrap_or_default();
                Told {
                    key: key.to_string(),
                    number: parts::number(count),
                    about: parts::about(count),
                    weight: count.weight,
                }
            };
            let title = shown.columns.title(asked.to);
            let said = match asked.to == asked.from {
                true => format!("#{} moved within {title}.", issue.iid),
                false => format!("#{} moved to {title}.", issue.iid),
            };
            Ok(Moved { said, columns: keys.iter().map(told).collect() })
        })
        .await;
    let wants_json = request.header(header::ACCEPT).is_some_and(|kinds| kinds.contains("json"));
    let back = at(&url, &query.filters().narrowed().query(Default::default(), None));
    match (done, wants_json) {
        (Ok(moved), true) => answer(StatusCode::OK, &moved),
        (Ok(moved), false) => flash::done(&app, &back, moved.said),
        (Err(error), wants_json) => {
            let (status, text) = refusal(error)?;
            match wants_json {
                true => answer(status, &Moved { said: text, columns: Vec::new() }),
                false => flash::refused(&app, &back, text),
            }
        }
    }
}

/// What people are told of a move that is refused; failures of ours stay errors.
fn refusal(error: Error) -> Result<(StatusCode, String)> {
    Ok(match error {
        Error::NotFoundText(text) => (StatusCode::NOT_FOUND, text),
        Error::Forbidden(text) if !text.is_empty() => (StatusCode::FORBIDDEN, text),
        Error::Forbidden(_) => (StatusCode::FORBIDDEN, "You may not move this issue.".into()),
        Error::Conflict(text) => (StatusCode::CONFLICT, text),
        Error::Invalid(_) | Error::BadRequest(_) | Error::Unprocessable(_) => {
            (StatusCode::UNPROCESSABLE_ENTITY, "This issue cannot be moved there.".into())
        }
        other => return Err(other),
    })
}

/// The answer is of this moment: nothing on the way may keep it.
fn answer(status: StatusCode, moved: &Moved) -> Result<Response> {
    let mut response = reply::json(status, moved)?;
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
