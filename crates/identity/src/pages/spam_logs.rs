//! `/admin/spam_logs`: what was taken for spam.

use super::views::AdminSpamLogs;
use crate::spam::logs;
use crate::users::{self, Transition};
use crate::viewer::Admin;
use http::Method;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Pages, flash};
use kernel::http::{Params, Response, Routes};
use serde_json::json;

const PATH: &str = "/admin/spam_logs";
const PER_PAGE: i64 = 50;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, list);
    r.page(Method::POST, "/admin/spam_logs/{id}/{action}", act);
}

kernel::params! {
    pub struct ListParams {
        pub page: Option<i64>,
    }
}

async fn list(app: App, admin: Admin, params: Params<ListParams>) -> Result<Response> {
    let number = params.page.unwrap_or(1).clamp(1, 1_000_000);
    let (logs, total) = app
        .read(move |tx| {
            let rows = logs::page(tx, PER_PAGE, (number - 1) * PER_PAGE)?;
            Ok((rows, logs::total(tx)?))
        })
        .await?;
    let view = AdminSpamLogs {
        page: super::admin::page(&app, &admin, "Spam", "Spam"),
        logs,
        now: app.now(),
        pages: Pages::new(number, PER_PAGE, total, PATH),
    };
    Ok(Html::new(&view)?.response())
}

kernel::choices! {
    pub enum Action {
        Delete = "delete",
        BlockUser = "block_user",
    }
}

kernel::params! {
    pub struct ActParams {
        pub id: i64,
        pub action: Action,
    }
}

async fn act(app: App, admin: Admin, params: Params<ActParams>) -> Result<Response> {
    let (id, action) = (params.id, params.action);
    let by = admin.author();
    app.write(move |tx| {
        let (user, title) = logs::find(tx, id)?.found("Spam Log")?;
        match (action, user) {
            (Action::BlockUser, Some(user)) => {
                users::transition(tx, &by, user, Transition::Block).map(drop)
            }
            (Action::BlockUser, None) => Err(Error::BadRequest("Nobody is known for it".into())),
            (Action::Delete, _) => {
                logs::delete(tx, id)?;
                audit::record(tx, &by, "spam_log.delete", ("SpamLog", id, &title), json!({}))
            }
        }
    })
    .await?;
    let text = match action {
        Action::Delete => "Entry deleted.",
        Action::BlockUser => "The user is blocked and signed out everywhere.",
    };
    flash::done(&app, PATH, text)
}
