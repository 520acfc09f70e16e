//! `POST …/-/boards`: boards and their columns are made, changed and removed.

use super::url_of;
use crate::access::ParentAccess;
use crate::model::boards::Columns;
use crate::pages::labels::authorize_to_manage;
use crate::rules::boards::{self as rules, BoardInput};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{flash, form};
use kernel::http::params::Text;
use kernel::http::{Params, Response};
use spaces::access::Purpose;
use spaces::pages::Visit;
use store::Tx;

kernel::choices! {
    pub enum Action {
        Create = "create",
        Update = "update",
        Remove = "remove",
        AddList = "add_list",
        MoveLeft = "move_left",
        MoveRight = "move_right",
        RemoveList = "remove_list",
    }
}

kernel::params! {
    pub struct BoardForm {
        pub action: Action,
        /// 0 for the one that is not there yet.
        pub board_id: Option<i64>,
        pub list_id: Option<i64>,
        pub name: Text,
        pub hide_backlog_list: Option<bool>,
        pub hide_closed_list: Option<bool>,
        /// Title of a label.
        pub label: Text,
    }
}

pub async fn change(app: App, visit: Visit, Params(asked): Params<BoardForm>) -> Result<Response> {
    let at = visit.clone();
    let all = app
        .read(move |tx| Ok(format!("{}/-/boards", at.authorize(tx, Purpose::Read)?.url())))
        .await?;
    let back = url_of(&all, asked.board_id.unwrap_or_default());
    let done = app
        .write(move |tx| {
            let (_, here) = authorize_to_manage(tx, &visit.viewer, &visit.address)?;
            apply(tx, &visit.viewer, &here, &asked)
        })
        .await;
    match done {
        Ok((board, text)) => flash::done(&app, &url_of(&all, board), text),
        Err(error) => {
            let (_, said) = form::in_form(error, &[])?;
            flash::refused(&app, &back, said.map(|said| said.text).unwrap_or_default())
        }
    }
}

/// Does what the form asks for; the board that is shown then, and what is said.
fn apply(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, form: &BoardForm,
) -> Result<(i64, String)> {
    if form.action == Action::Create {
        let made = rules::create(tx, viewer, here, &form.name)?;
        return Ok((made.board.id, "Board created.".into()));
    }
    let columns = match form.board_id.unwrap_or_default() {
        0 => rules::first_stored(tx, viewer, here)?,
        id => rules::find(tx, here, id)?,
    };
    let id = columns.board.id;
    let text = match form.action {
        Action::Create | Action::Update => {
            let input = BoardInput {
                name: Some(form.name.to_string()),
                hide_backlog_list: Some(form.hide_backlog_list.unwrap_or(false)),
                hide_closed_list: Some(form.hide_closed_list.unwrap_or(false)),
            };
            rules::update(tx, viewer, here, id, &input)?;
            "Board changed.".to_owned()
        }
        Action::Remove => {
            rules::destroy(tx, viewer, here, id)?;
            return Ok((0, "Board removed. Its issues are as they were.".into()));
        }
        Action::AddList => {
            let title = form.label.trim();
            if title.is_empty() {
                return Err(Error::BadRequest("Choose a label for the new column".into()));
            }
            let list = match rules::add_list(tx, viewer, here, &columns, title) {
                Err(Error::Invalid(_)) => {
                    let text = format!("The board has a column {title} already");
                    return Err(Error::BadRequest(text));
                }
                list => list?,
            };
            format!("Column {} added.", list.label.title)
        }
        Action::MoveLeft => place(tx, &columns, form, -1)?,
        Action::MoveRight => place(tx, &columns, form, 1)?,
        Action::RemoveList => {
            rules::remove_list(tx, viewer, here, &columns, form.list_id.unwrap_or_default())?;
            "Column removed. Its issues keep their label.".to_owned()
        }
    };
    Ok((id, text))
}

fn place(tx: &mut Tx<'_>, columns: &Columns, form: &BoardForm, by: i64) -> Result<String> {
    let id = form.list_id.unwrap_or_default();
    let list = rules::list_of(columns, id)?;
    rules::place_list(tx, columns, id, list.position + by)?;
    Ok(format!("Column {} moved.", list.label.title))
}
