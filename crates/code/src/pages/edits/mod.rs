//! Changing files on pages: writing, uploading, moving and deleting them, each by a
//! commit (docs/interface/code.md). The rules are those of REST, [`repositories::edits`].

mod page;
mod sending;
mod site;
mod task;

use super::visit::CodeVisit;
use http::Method;
use kernel::error::Result;
use kernel::html::form;
use kernel::http::{Params, Parts, Response, Routes};
use page::{Change, Form, Sent};
use site::Site;
use spaces::pages::PROJECT;
use task::Task;

pub fn routes(r: &mut Routes) {
    add::<Edit>(r);
    add::<New>(r);
    add::<Folder>(r);
    add::<Move>(r);
    add::<Delete>(r);
    add_upload::<Upload>(r);
    add_upload::<Replace>(r);
}

/// A task as a type, so that each has handlers of its own.
trait Kind: 'static {
    const TASK: Task;
}

macro_rules! kinds {
    ($($name:ident)*) => {$(
        struct $name;
        impl Kind for $name {
            const TASK: Task = Task::$name;
        }
    )*};
}

kinds! { Edit New Folder Move Delete Upload Replace }

fn path<K: Kind>() -> String {
    format!("{PROJECT}/-/{}/{{*rest}}", K::TASK.page())
}

fn add<K: Kind>(r: &mut Routes) {
    r.page(Method::GET, &path::<K>(), show::<K>);
    r.page(Method::POST, &path::<K>(), change::<K>);
}

fn add_upload<K: Kind>(r: &mut Routes) {
    r.page(Method::GET, &path::<K>(), show::<K>);
    r.page(Method::POST, &path::<K>(), upload::<K>).streams();
}

async fn show<K: Kind>(visit: CodeVisit) -> Result<Response> {
    let app = visit.app.clone();
    let page = Change::find(Site::find(visit).await?, K::TASK).await?;
    page.check()?;
    form::show(&app, page).await
}

async fn change<K: Kind>(visit: CodeVisit, form: Params<Form>) -> Result<Response> {
    let site = Site::find(visit).await?;
    submit(site, K::TASK, Sent { form: form.0, file: None }).await
}

async fn upload<K: Kind>(visit: CodeVisit, parts: Parts) -> Result<Response> {
    let site = Site::find(visit).await?;
    let sent = sending::receive(parts).await?;
    submit(site, K::TASK, sent).await
}

async fn submit(site: Site, task: Task, sent: Sent) -> Result<Response> {
    let app = site.visit.app.clone();
    let page = Change::find(site, task).await?;
    match page.commit(&sent).await {
        // Somebody else may have been faster: what is there now is shown beside.
        Err(error) => form::refused(&app, page.again().await, sent, error).await,
        done => form::answer(&app, page, sent, done).await,
    }
}
