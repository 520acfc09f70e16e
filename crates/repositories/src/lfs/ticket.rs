//! What lets a client move bytes after it was told that it may: signed, for two hours,
//! one project and one direction. It stands for its holder, so it ends with what the
//! holder may do.

use super::access::{forbidden, may_send, not_found};
use crate::access::Service;
use ::store::Tx;
use http::header;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::RequestContext;
use kernel::ids::Reference;
use serde::{Deserialize, Serialize};
use spaces::access::{Purpose, project};

/// Seconds that it is good for.
pub const LIFETIME: i64 = 7200;
/// What is signed as a ticket.
const LABEL: &str = "lfs.ticket";
const SCHEME: &str = "Bearer ";

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Holder {
    Nobody,
    User(i64),
    DeployToken(i64),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ticket {
    pub project_id: i64,
    pub service: Service,
    /// The branch that objects are sent for, if one was told.
    #[serde(default)]
    branch: Option<String>,
    holder: Holder,
    /// Seconds since 1970.
    ends: i64,
}

impl Ticket {
    pub fn new(app: &App, viewer: &Viewer, project_id: i64, service: Service) -> Ticket {
        let holder = match viewer {
            Viewer::Anonymous => Holder::Nobody,
            Viewer::User(signed_in) => Holder::User(signed_in.user.id),
            Viewer::Deploy(deploy) => Holder::DeployToken(deploy.id),
        };
        let ends = app.now().as_second() + LIFETIME;
        Ticket { project_id, service, branch: None, holder, ends }
    }

    /// The same for who sends objects for this branch alone, if one is told.
    pub fn for_branch(self, branch: Option<String>) -> Ticket {
        Ticket { branch, ..self }
    }

    /// The value of the header that carries it.
    pub fn header(&self, app: &App) -> Result<String> {
        let bytes = serde_json::to_vec(self).map_err(Error::internal)?;
        Ok(format!("{SCHEME}{}", app.secrets().sign(LABEL, &bytes)))
    }

    /// That of a request, for this direction, if it is good still.
    pub fn of(app: &App, request: &RequestContext, service: Service) -> Result<Ticket> {
        let sent = request.header(header::AUTHORIZATION).unwrap_or_default();
        let bytes = sent.strip_prefix(SCHEME).and_then(|text| app.secrets().verify(LABEL, text));
        let ticket: Option<Ticket> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let ticket = ticket.filter(|ticket| ticket.ends > app.now().as_second());
        let ticket = ticket.ok_or(Error::Unauthenticated)?;
        match ticket.service == service {
            true => Ok(ticket),
            false => Err(forbidden()),
        }
    }

    /// Refuses a holder who may not do this any more.
    pub fn check(&self, tx: &mut Tx<'_>) -> Result<()> {
        let viewer = match self.holder {
            Holder::Nobody => Some(Viewer::Anonymous),
            Holder::User(id) => identity::access::active_user(tx, id)?.map(Viewer::addressed),
            Holder::DeployToken(id) => identity::tokens::deploy_viewer(tx, id)?,
        };
        let viewer = viewer.ok_or(Error::Unauthenticated)?;
        let found = project(tx, &viewer, &Reference::Id(self.project_id), Purpose::DownloadCode);
        let found = found.map_err(|_| forbidden())?;
        let may = match self.service {
            Service::Fetch => true,
            Service::Push => may_send(tx, &viewer, &found, self.branch.as_deref())?,
        };
        match (may, found.lfs_enabled) {
            (false, _) => Err(forbidden()),
            (true, true) => Ok(()),
            (true, false) => Err(not_found()),
        }
    }
}
