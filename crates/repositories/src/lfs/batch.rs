//! What a client may send or get (git-lfs, docs/api/batch.md).

use super::access::{self, Deed, SCOPES, refused};
use super::pointer::Pointer;
use super::store;
use super::ticket::{LIFETIME, Ticket};
use crate::access::Service;
use crate::http::address;
use crate::receive::limits::PushLimits;
use http::{Method, StatusCode};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::call::Upload;
use kernel::http::{RequestContext, Response, Routes};
use serde::Deserialize;
use serde_json::{Value, json};
use spaces::model::Project;
use spaces::pages::PROJECT;
use std::collections::HashMap;
use std::sync::Arc;

/// Objects that may be asked for at once.
const MOST: usize = 1000;
/// Bytes of a request.
pub(super) const MAX_REQUEST: usize = 1024 * 1024;

const ENDING: &str = "/info/lfs/objects/batch";
const ABSENT: &str =
    "Object does not exist on the server or you don't have permissions to access it";

pub(super) fn routes(r: &mut Routes) {
    r.plain(Method::POST, &format!("{PROJECT}{ENDING}"), batch)
        .git()
        .scopes(SCOPES)
        .streams()
        .always()
        .refuses(access::render)
        .summary("Tells git-lfs which large files it may send or get");
    for (method, path) in
        [(Method::POST, "/info/lfs/objects"), (Method::GET, "/info/lfs/objects/{oid}")]
    {
        r.plain(method, &format!("{PROJECT}{path}"), old)
            .unchecked()
            .always()
            .refuses(access::render)
            .summary("Tells an old git-lfs that it is too old");
    }
}

#[derive(Deserialize)]
struct Asked {
    operation: String,
    hash_algo: Option<String>,
    /// What the objects are for.
    #[serde(rename = "ref")]
    on_ref: Option<NamedRef>,
    #[serde(default)]
    objects: Vec<Pointer>,
}

#[derive(Deserialize)]
struct NamedRef {
    name: String,
}

impl Asked {
    /// The branch that objects are sent for, if one is told.
    fn branch(&self) -> Option<String> {
        let name = &self.on_ref.as_ref()?.name;
        Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
    }
}

async fn old() -> Result<Response> {
    let text = "Server supports batch API only, please update your Git LFS client to version 1.0.1 \
                and up.";
    Err(refused(501, text))
}

/// A JSON body, of whatever type it is said to be.
pub(super) async fn read<T: for<'d> Deserialize<'d>>(
    request: &RequestContext, viewer: &Viewer, body: Upload,
) -> Result<T> {
    let is_anonymous = matches!(viewer, Viewer::Anonymous);
    let bytes = address::unpacked(request, body, MAX_REQUEST, is_anonymous).await?;
    serde_json::from_slice(&bytes).map_err(|error| refused(422, &format!("The body: {error}")))
}

async fn batch(
    app: App, viewer: Viewer, request: Arc<RequestContext>, body: Upload,
) -> Result<Response> {
    // Who may not even read is not heard.
    let project = access::project(&app, &viewer, &request, ENDING, Deed::Get).await?;
    let asked: Asked = read(&request, &viewer, body).await?;
    let service = match asked.operation.as_str() {
        "download" => Service::Fetch,
        "upload" => Service::Push,
        _ => return Err(refused(422, "The operation must be download or upload.")),
    };
    if asked.hash_algo.as_ref().is_some_and(|name| name != "sha256") {
        return Err(refused(409, "Large files are named by sha256 alone."));
    }
    match asked.objects.len() {
        0 => return Err(access::not_found()),
        count if count > MOST => {
            return Err(refused(413, &format!("At most {MOST} objects may be asked for at once.")));
        }
        _ => {}
    }
    let branch = asked.branch().filter(|_| service == Service::Push);
    if service == Service::Push {
        access::check_writable(&app).await?;
        let deed = Deed::Send(branch.clone());
        access::project(&app, &viewer, &request, ENDING, deed).await?;
    }
    let ticket = Ticket::new(&app, &viewer, project.id, service).for_branch(branch);
    let told = Telling::begin(&app, &ticket, &project, &asked.objects).await?;
    if service == Service::Push {
        let (id, more) = (project.id, told.missing(&asked.objects));
        app.read(move |tx| access::check_size(tx, id, more)).await?;
    }
    let objects: Vec<Value> = asked.objects.iter().map(|one| told.object(one)).collect();
    let all = json!({"transfer": "basic", "objects": objects, "hash_algo": "sha256"});
    access::answer(StatusCode::OK, &all)
}

/// What is needed to tell of each object.
struct Telling {
    service: Service,
    /// The objects that the project has, and their sizes.
    there: HashMap<String, i64>,
    /// Where their bytes go to and come from.
    base: String,
    authorization: String,
    /// Bytes that one may have; 0 for any number.
    most: u64,
}

impl Telling {
    async fn begin(
        app: &App, ticket: &Ticket, project: &Project, objects: &[Pointer],
    ) -> Result<Telling> {
        let oids: Vec<String> = objects.iter().map(|one| one.oid.clone()).collect();
        let id = project.id;
        let there = app.read(move |tx| store::among(tx, id, &oids)).await?;
        let limits: PushLimits = app.settings().get(app).await?;
        Ok(Telling {
            service: ticket.service,
            there: there.into_iter().map(|one| (one.oid, one.size)).collect(),
            base: app.url(&format!("/{}.git/service-lfs/objects", project.full_path)),
            authorization: ticket.header(app)?,
            most: limits.bytes(),
        })
    }

    /// Bytes of those that are not here yet.
    fn missing(&self, objects: &[Pointer]) -> i64 {
        let new = objects.iter().filter(|one| !self.there.contains_key(&one.oid));
        new.fold(0, |sum, one| sum.saturating_add(one.size.max(0)))
    }

    fn object(&self, one: &Pointer) -> Value {
        let mut told = json!({"oid": one.oid, "size": one.size});
        let (key, value) = match self.action(one) {
            Ok(None) => return told,
            Ok(Some(actions)) => ("actions", actions),
            Err((code, message)) => ("error", json!({"code": code, "message": message})),
        };
        told[key] = value;
        told["authenticated"] = true.into();
        told
    }

    /// What to do about it, if anything.
    fn action(&self, one: &Pointer) -> Result<Option<Value>, (u16, &'static str)> {
        if !one.is_good() {
            return Err((
                422,
                "The oid must be 64 lower-case hexadecimal digits, the size 0 or more",
            ));
        }
        let (oid, size, base) = (&one.oid, one.size, &self.base);
        match (self.service, self.there.get(oid)) {
            (Service::Fetch, None) => Err((404, ABSENT)),
            (Service::Fetch, Some(_)) => {
                Ok(Some(json!({"download": self.way(&format!("{base}/{oid}"))})))
            }
            (Service::Push, Some(there)) if *there == size => Ok(None),
            (Service::Push, Some(_)) => Err((422, "The object is there, and has another size")),
            (Service::Push, None) if self.most > 0 && size.unsigned_abs() > self.most => {
                Err((422, "The object is larger than this server takes"))
            }
            (Service::Push, None) => {
                let mut way = self.way(&format!("{base}/{oid}/{size}"));
                way["header"]["Content-Type"] = "application/octet-stream".into();
                way["header"]["Transfer-Encoding"] = "chunked".into();
                Ok(Some(json!({"upload": way})))
            }
        }
    }

    fn way(&self, href: &str) -> Value {
        json!({
            "href": href,
            "header": {"Authorization": self.authorization},
            "expires_in": LIFETIME,
        })
    }
}
