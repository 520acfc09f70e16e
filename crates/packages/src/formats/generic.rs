//! The generic format: any file under a name, a version and a path
//! (docs/interface/packages.md 2.3).

use crate::access::authorize;
use crate::client::Client;
use crate::declare::{reads, writes};
use crate::entity::{self, PublishedFileEntity};
use crate::model::{PackageType, Status};
use crate::rules::names;
use crate::rules::publish::Destination;
use crate::store::files;
use crate::upload::{self, Uploaded};
use crate::upload_form::{Body, UploadForm};
use http::StatusCode;
use kernel::app::App;
use kernel::blobs::Received;
use kernel::error::{Error, Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::Flat;
use kernel::http::{Answer, Params, RequestContext, Response, Routes, reply};
use kernel::ids::Reference;
use spaces::access::Purpose;

const FILE: &str = "/projects/{id}/packages/generic/{package_name}/{package_version}/{*file_path}";

pub fn routes(r: &mut Routes) {
    writes(r.put(FILE, publish))
        .streams()
        .summary("Publishes a file of a generic package");
    reads(r, FILE, fetch).summary("Downloads a file of a generic package");
}

kernel::choices! {
    /// First states a publisher may ask for.
    pub enum FirstStatus { Default = "default", Hidden = "hidden" }
}

kernel::choices! {
    pub enum Select { PackageFile = "package_file" }
}

kernel::params! {
    pub struct PublishFile {
        pub at: Flat<FileAddress>,
        pub fields: Flat<Fields>,
    }
}

kernel::params! {
    /// What a form, too, may say beside its file.
    pub struct Fields {
        /// State of a package that is new with this file.
        pub status: Option<FirstStatus>,
        /// Answer with the file's record.
        pub select: Option<Select>,
    }
}

kernel::params! {
    pub struct FileAddress {
        /// The project.
        pub id: Reference,
        /// The package.
        pub package_name: String,
        /// Its version.
        pub package_version: String,
        /// The file's path.
        pub file_path: String,
    }
}

impl FileAddress {
    fn destination(&self) -> Result<Destination> {
        names::generic_name(&self.package_name)?;
        names::generic_version(&self.package_version)?;
        let (name, version) = (&self.package_name, Some(self.package_version.as_str()));
        let file_name = names::generic_file_name(&self.file_path)?;
        let of = PackageType::Generic;
        Ok(Destination::new(of, name, version, file_name))
    }
}

/// What a publisher is told.
pub enum Published {
    /// 201 with a message.
    Message,
    /// 200 with the file's record.
    File(Box<PublishedFileEntity>),
}

impl Answer for Published {
    fn reply(self, app: &App, request: &RequestContext) -> Result<Response> {
        match self {
            Published::Message => Uploaded.reply(app, request),
            Published::File(file) => reply::json(StatusCode::OK, &file),
        }
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<PublishedFileEntity>(200);
        operation.status(201, "Published");
    }
}

async fn publish(params: Params<PublishFile>, client: Client, body: Body) -> Result<Published> {
    let Params(PublishFile { at, fields: sent }) = params;
    let mut to = at.destination()?;
    upload::admit(&client, &at.id, &to).await?;
    let (received, fields) = received(&client, body).await?;
    if fields.status.or(sent.status) == Some(FirstStatus::Hidden) {
        to.status = Status::Hidden;
    }
    let stored = upload::keep(&client.app, received).await?;
    let (package, file) = upload::publish(&client, &at.id, to, stored).await?;
    if fields.select.or(sent.select).is_none() {
        return Ok(Published::Message);
    }
    let path = format!(
        "/api/v4/projects/{}/packages/generic/{}/{}/{}",
        package.project_id, at.package_name, at.package_version, at.file_path
    );
    Ok(Published::File(Box::new(entity::published_file(file, client.app.url(&path)))))
}

/// The bytes of a body, and what a form says beside them.
async fn received(client: &Client, body: Body) -> Result<(Received, Fields)> {
    let parts = match body {
        Body::File(bytes) => {
            let received = upload::receive_bytes(client, PackageType::Generic, bytes).await?;
            let (status, select) = (None, None);
            return Ok((received, Fields { status, select }));
        }
        Body::Form(parts) => parts,
    };
    let mut form = UploadForm::receive(client, PackageType::Generic, parts, &["file"]).await?;
    let fields = form.params()?;
    let sent = form.take_file("file");
    let received = sent.ok_or_else(|| Error::missing("file"))?.received;
    upload::check_declared(&client.request, received.stored())?;
    Ok((received, fields))
}

async fn fetch(params: Params<FileAddress>, client: Client) -> Result<Response> {
    let wanted = params.destination()?;
    let viewer = client.viewer.clone();
    let file = client.app.read_inline(move |tx| {
        let entered = authorize(tx, &viewer, &params.id, Purpose::ReadPackages)?;
        let package = wanted
            .package(tx, entered.project.id)?
            .filter(|package| package.status.is_installable())
            .found("Package")?;
        files::newest(tx, package.id, &wanted.file_name)?.found("Package File")
    });
    client.send(&file.await?).await
}
