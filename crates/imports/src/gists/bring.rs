//! How one gist becomes a snippet: a row that nobody sees, to which git brings its files.

use super::model::{Gist, GistImport, reason};
use super::store as rows;
use crate::settings::Providers;
use crate::sources::provider_a::is_same_server;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::secrets::Secret;
use repositories::access::{self as places, Pushing};
use repositories::formats::ref_name::RefName;
use repositories::mirrors::pull::whole::{self, Brought, Origin};
use snippets::access::{self, THING};
use snippets::model::BRANCH;
use snippets::store::{self, NewSnippet};

/// As whom tokens are used by git.
const TOKEN_USER: &str = "x-access-token";
const NO_REPOSITORY: &str = "There is no git repository at this address.";
const NOTHING_CAME: &str = "The repository of the gist is empty.";

/// What became of a gist.
pub enum Came {
    /// It is here, maybe since an import before.
    Here,
    /// This server is busy with others.
    Busy,
    /// Upstream is away: why.
    Away(String),
    /// It does not come: why.
    Refused(String),
}

/// Brings a gist, unless it came before and its snippet is there.
pub async fn bring(
    app: &App, viewer: &Viewer, import: &GistImport, (gist, token): (&Gist, &str),
) -> Result<Came> {
    let url = match gist.address() {
        Ok(url) => url,
        Err(reason) => return Ok(Came::Refused(reason.into())),
    };
    let (who, row, new) = (viewer.clone(), import.clone(), gist.clone());
    let Some((id, to)) = app.write(move |tx| make(tx, &who, &row, &new)).await? else {
        return Ok(Came::Here);
    };
    let origin = origin(app, import, url, token)?;
    let own = RefName::branch(BRANCH);
    let own = own.map_err(|_| Error::internal("snippets have no branch"))?;
    let brought = whole::bring_first(app, &to, &origin, &own).await;
    let gist = gist.clone();
    let is_here = app.write(move |tx| settle(tx, id, &gist)).await?;
    Ok(match brought? {
        _ if is_here => Came::Here,
        Brought::Busy => Came::Busy,
        Brought::Away(text) => Came::Away(text),
        Brought::Refused(text) | Brought::Whole(Some(text)) => Came::Refused(reason(text)),
        Brought::Absent => Came::Refused(NO_REPOSITORY.into()),
        Brought::Whole(None) => Came::Refused(NOTHING_CAME.into()),
    })
}

/// A snippet that waits for its files, and where these go; none if they are there.
fn make(
    tx: &mut Tx<'_>, viewer: &Viewer, import: &GistImport, gist: &Gist,
) -> Result<Option<(i64, Pushing)>> {
    if let Some(before) = rows::snippet(tx, import, &gist.id)? {
        match store::by_id(tx, before)? {
            Some(snippet) if snippet.is_written => return Ok(None),
            // A server ended while its files came.
            _ => store::remove(tx, &[before])?,
        }
    }
    let id = store::insert(
        tx,
        &NewSnippet {
            project_id: None,
            author_id: import.user_id,
            title: gist.title(),
            description: gist.text(),
            visibility: gist.visibility().level(),
            user_agent: String::new(),
            ip_address: String::new(),
        },
    )?;
    rows::note(tx, import, &gist.id, id)?;
    let snippet = store::by_id(tx, id)?.found(THING)?;
    let place = access::place(tx, &snippet)?;
    Ok(Some((id, places::writing(tx, viewer, &place)?)))
}

/// Gives a snippet whose files came its times; one without any goes. Whether it is here.
fn settle(tx: &mut Tx<'_>, id: i64, gist: &Gist) -> Result<bool> {
    let is_written = store::by_id(tx, id)?.is_some_and(|snippet| snippet.is_written);
    match is_written {
        true => {
            let updated_at = gist.updated_at.unwrap_or(gist.created_at);
            store::set_times(tx, id, gist.created_at, updated_at)?;
        }
        false => store::remove(tx, &[id])?,
    }
    Ok(is_written)
}

/// Where git finds it. The token goes to the servers alone that it is for.
fn origin(app: &App, import: &GistImport, url: &str, token: &str) -> Result<Origin> {
    let git = app.plugged::<Providers>()?.get().provider_a_git;
    let is_known = is_same_server(url, &git) || is_same_server(url, &import.base_url);
    let credentials = is_known.then(|| (TOKEN_USER.to_owned(), Secret::new(token)));
    Ok(Origin { url: url.to_owned(), credentials, head: None, numbered: &[] })
}
