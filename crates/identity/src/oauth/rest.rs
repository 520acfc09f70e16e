//! `/api/v4/applications`: the instance's applications, for administrators.

use super::applications::{self, Application, Owner, Registration};
use super::scopes;
use crate::viewer::Admin;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Paged, Paging, Params, Routes};
use kernel::secrets::Secret;
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.get("/applications", list).summary("Lists the applications");
    r.post("/applications", create)
        .reauthenticated()
        .summary("Registers an application");
    r.delete("/applications/{id}", destroy).summary("Deletes an application");
    r.post("/applications/{id}/renew-secret", renew)
        .reauthenticated()
        .summary("Gives an application a new secret");
}

/// An application on the wire.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApplicationEntity {
    id: i64,
    application_id: String,
    application_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    callback_url: String,
    confidential: bool,
}

fn entity(one: Application, secret: Option<&Secret>) -> ApplicationEntity {
    ApplicationEntity {
        id: one.id,
        application_id: one.uid,
        application_name: one.name,
        secret: secret.map(|secret| secret.expose().to_owned()),
        callback_url: one.redirect_uris,
        confidential: one.confidential,
    }
}

async fn list(app: App, _: Admin, paging: Paging) -> Result<Paged<ApplicationEntity>> {
    let page = Paged::read(&app, paging, |tx, part| {
        let rows = applications::page(tx, None, part)?;
        Ok((rows, applications::total(tx, None)?))
    });
    Ok(page.await?.map(|one| entity(one, None)))
}

kernel::params! {
    pub struct CreateApplication {
        /// For people.
        pub name: String,
        /// One address a line.
        pub redirect_uri: String,
        /// Space-separated.
        pub scopes: Option<String>,
        /// Keeps a secret; the default.
        pub confidential: Option<bool>,
    }
}

async fn create(
    app: App, admin: Admin, params: Params<CreateApplication>,
) -> Result<Created<ApplicationEntity>> {
    let Some(wanted) = params.scopes.as_deref().filter(|text| !text.trim().is_empty()) else {
        let what = match params.scopes {
            Some(_) => vec!["scopes is empty".to_owned()],
            None => vec!["scopes is missing".to_owned(), "scopes is empty".to_owned()],
        };
        return Err(Error::Parameters(what));
    };
    let new = Registration {
        name: params.name.clone(),
        redirect_uris: params.redirect_uri.clone(),
        scopes: scopes::split(wanted),
        confidential: params.confidential.unwrap_or(true),
        trusted: false,
    };
    let by = admin.author();
    let (made, secret) = app
        .write(move |tx| applications::create(tx, &by, Owner::Instance, &new))
        .await?;
    Ok(Created(entity(made, secret.as_ref())))
}

kernel::params! {
    pub struct ApplicationPath {
        /// Its id.
        pub id: i64,
    }
}

async fn destroy(app: App, admin: Admin, path: Params<ApplicationPath>) -> Result<NoContent> {
    let (by, id) = (admin.author(), path.id);
    app.write(move |tx| applications::destroy(tx, &by, id)).await?;
    Ok(NoContent)
}

async fn renew(
    app: App, admin: Admin, path: Params<ApplicationPath>,
) -> Result<Created<ApplicationEntity>> {
    let (by, id) = (admin.author(), path.id);
    let (one, secret) = app
        .write(move |tx| {
            let secret = applications::renew_secret(tx, &by, id)?;
            let one = applications::find(tx, id)?.ok_or(Error::NotFound("Application"))?;
            Ok((one, secret))
        })
        .await?;
    Ok(Created(entity(one, Some(&secret))))
}
