//! `…/-/merge_requests/<number>/diffs`: what a merge request changes, file by file, and
//! what is said about its lines.
//!
//! `subject` reads what a page is about, `listing` which files differ, `parts` draws some
//! of them, and `said` puts threads and drafts among their lines, `points` those of pictures
//! over these; `show` does all of that.
//! Forms are in `comments`, `notes` and `viewed`; whoever sends one is a `Reviewer`. The
//! review as a whole is finished at the conversation.

mod aims;
mod bar;
mod comments;
mod files;
mod left_out;
mod listing;
mod look;
mod notes;
mod overview;
mod parts;
mod points;
mod reviewer;
mod rights;
mod said;
mod say;
mod show;
mod subject;
mod tree;
mod typed;
mod versions;
mod viewed;

use super::one;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Flat, Params, Response, Routes};
use look::Look;
use spaces::pages::Address;
use typed::Typed;

pub fn routes(r: &mut Routes) {
    let diffs = one("/diffs");
    let at = |rest: &str| format!("{diffs}/{rest}");
    r.page(Method::GET, &diffs, show);
    r.page(Method::POST, &at("comments"), comments::begin);
    r.page(Method::POST, &at("drafts"), comments::keep);
    r.page(Method::POST, &at("drafts/{draft_id}"), comments::change);
    r.page(Method::POST, &at("notes"), notes::answer);
    r.page(Method::POST, &at("notes/{note_id}"), notes::change);
    r.page(Method::POST, &at("notes/{note_id}/tasks"), notes::tick);
    r.page(Method::POST, &at("discussions/{discussion_id}"), notes::resolve);
    r.page(Method::POST, &at("viewed"), viewed::mark);
}

kernel::params! {
    struct AskedChanges {
        pub merge_request_iid: i64,
        pub look: Flat<Look>,
    }
}

async fn show(
    app: App, viewer: Viewer, address: Address, Params(asked): Params<AskedChanges>,
) -> Result<Response> {
    let AskedChanges { merge_request_iid, look } = asked;
    show::render(&app, (viewer, address), merge_request_iid, look.0, Typed::default()).await
}
