//! `…/-/merge_requests/<number>/conflicts`: files that both sides changed are resolved, by
//! choosing a side of each conflict or by writing the text, and the target is merged into
//! the source branch.

mod views;

use super::frame::{self, Found, Frame, Tab};
use crate::conflicts::find;
use crate::conflicts::landing::{self, Branches};
use crate::conflicts::resolving::answers;
use crate::rules::collaboration::{may_push_source, source_of};
use crate::rules::sides::Sides;
use ::store::Tx;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Flash, Html, flash};
use kernel::http::params::Text;
use kernel::http::{Params, Response, Routes};
use repositories::edits::merges::Ended;
use serde_json::{Map, Value};
use spaces::access::Purpose;
use spaces::pages::{PROJECT, Visit};
use std::collections::BTreeMap;
use views::{Form, Outlook, View};

/// Longest message of the commit, in bytes.
const LONGEST_MESSAGE: usize = 1_048_576;
const MOVED: &str = "The branches moved while you were here, so look at their conflicts again. \
     Nothing was merged; what you chose is still here where it fits.";
const NONE_LEFT: &str = "There are no conflicts any more, so nothing was merged.";

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/merge_requests/{{merge_request_iid}}/conflicts");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, resolve);
}

kernel::params! {
    struct Numbered {
        /// Number of the merge request.
        pub merge_request_iid: i64,
    }
}

kernel::params! {
    /// What somebody chose, and of what.
    struct Resolution {
        /// Where the source branch was.
        pub source_sha: Text,
        /// Where the target branch was.
        pub target_sha: Text,
        pub commit_message: Text,
        /// For each file, by its key: its path, sides of conflicts, or its text.
        pub files: Option<Map<String, Value>>,
        /// The file whose text is to be written.
        pub edit: Text,
        /// The file whose conflicts are to be chosen from again.
        pub choose: Text,
    }
}

/// The page, for somebody signed in.
#[derive(Clone)]
struct Place {
    app: App,
    visit: Visit,
    iid: i64,
}

/// What is found there.
struct Scene {
    found: Found,
    /// None where a branch is gone.
    branches: Option<Branches>,
    may_push: bool,
    outlook: Outlook,
}

async fn show(app: App, visit: Visit, Params(path): Params<Numbered>) -> Result<Response> {
    let place = Place { app, visit, iid: path.merge_request_iid };
    let scene = place.scene().await?;
    place.render(scene, Form::default(), None).await
}

async fn resolve(
    app: App, visit: Visit, Params(path): Params<Numbered>, Params(sent): Params<Resolution>,
) -> Result<Response> {
    let place = Place { app, visit, iid: path.merge_request_iid };
    let scene = place.scene().await?;
    if !scene.may_push {
        return Err(Error::forbidden(""));
    }
    let message = sent.commit_message.replace("\r\n", "\n");
    let mut form = Form::new(answers(&sent.files.unwrap_or_default()), message);
    let switched = [(&sent.edit, true), (&sent.choose, false)];
    if let Some((key, is_text)) = switched.into_iter().find(|(key, _)| !key.is_empty()) {
        let request = &scene.found.request;
        let names = (request.source_branch.as_str(), request.target_branch.as_str());
        form.switch(key, is_text, &scene.outlook, names);
        return place.render(scene, form, None).await;
    }
    let seen = (sent.source_sha.parse().ok(), sent.target_sha.parse().ok());
    let heads = scene.branches.as_ref().map(|branches| branches.sides.heads);
    let Outlook::Conflicts(found) = &scene.outlook else {
        return place.render(scene, form, Some(NONE_LEFT.into())).await;
    };
    if heads.map(|heads| (Some(heads.source), Some(heads.target))) != Some(seen) {
        return place.render(scene, form, Some(MOVED.into())).await;
    }
    let files = match form.resolved(found) {
        Some(files) => files,
        None => {
            let text = "Nothing was merged: look at the marked files.";
            return place.render(scene, form, Some(text.into())).await;
        }
    };
    let ended = place.land(&scene, files, &form).await?;
    let why = match ended {
        Ended::Done => {
            let text = "The conflicts are resolved.";
            return flash::done(&place.app, &scene.found.url(), text);
        }
        Ended::Moved => MOVED.to_owned(),
        Ended::Refused(text) => format!("Nothing was merged: {text}"),
    };
    // As it is by now.
    let scene = place.scene().await?;
    place.render(scene, form, Some(why)).await
}

impl Place {
    fn viewer(&self) -> &Viewer {
        &self.visit.viewer
    }

    /// The merge request, its branches, and whether the viewer may push to the source.
    fn read(&self, tx: &mut Tx<'_>) -> Result<(Found, Option<Branches>, bool)> {
        let viewer = self.viewer();
        let found = frame::find(tx, viewer, &self.visit.address, self.iid, Purpose::DownloadCode)?;
        let (sides, source) = (Sides::of(tx, &found.request)?, source_of(tx, &found.request)?);
        let branches = sides.zip(source).map(|(sides, source)| Branches {
            source,
            source_branch: found.request.source_branch.clone(),
            target_id: found.request.target_project_id,
            sides,
        });
        let may_push = may_push_source(tx, viewer, &found.request)?;
        Ok((found, branches, may_push))
    }

    async fn scene(&self) -> Result<Scene> {
        let place = self.clone();
        let (found, branches, may_push) = self.app.read(move |tx| place.read(tx)).await?;
        let outlook = match &branches {
            _ if !found.request.is_open() => Outlook::NotOpen,
            None => Outlook::NoBranch,
            Some(branches) => self.outlook(&branches.sides).await?,
        };
        Ok(Scene { found, branches, may_push, outlook })
    }

    async fn outlook(&self, sides: &Sides) -> Result<Outlook> {
        sides.bring(&self.app).await?;
        Ok(match find(&self.app, &sides.target, sides.heads).await? {
            Some(found) => Outlook::Conflicts(found),
            None => Outlook::NoConflicts,
        })
    }

    async fn land(
        &self, scene: &Scene, files: BTreeMap<String, String>, form: &Form,
    ) -> Result<Ended> {
        let Some(branches) = scene.branches.clone() else {
            return Ok(Ended::Moved);
        };
        let usual = views::usual_message(&scene.found.request, branches.source.id);
        let message = form.message.clone().filter(|text| !text.trim().is_empty());
        let message = message.unwrap_or(usual);
        if message.len() > LONGEST_MESSAGE {
            let text = "the commit message is too long (maximum is 1048576 bytes)";
            return Ok(Ended::Refused(text.to_owned()));
        }
        landing::land(&self.app, self.viewer(), branches, files, &message).await
    }

    /// The page, perhaps with a form that was not accepted, and why.
    async fn render(&self, scene: Scene, form: Form, why: Option<String>) -> Result<Response> {
        let place = self.clone();
        let mut around = page(&self.app, self.viewer(), "Resolve conflicts");
        let is_refused = why.is_some();
        around.flash = why.and_then(Flash::failed).or(around.flash);
        let base_url = self.app.base_url().to_string();
        let view = self.app.read(move |tx| {
            let Scene { found, branches, may_push, outlook } = &scene;
            let viewer = place.viewer();
            let page = found.page_below(tx, viewer, around.clone())?;
            let frame = Frame::new(tx, viewer, found, Tab::Changes)?;
            let at = views::At { found, branches: branches.as_ref(), base_url: &base_url };
            Ok(View::new((page, frame), &at, outlook, (&form, *may_push)))
        });
        let html = Html::new(&view.await?)?;
        Ok(html.refused(is_refused).response())
    }
}
