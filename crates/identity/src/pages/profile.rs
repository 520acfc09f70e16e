//! `/-/user_settings/profile` and the own password.

use super::refusal::Refusal;
use super::views::Profile;
use crate::pages::navigation::own_settings;
use crate::users::{self, Avatar, Change, Texts, UserInput};
use crate::viewer::SignedInViewer;
use crate::{password, password_rules, sign_in};
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Flash, Html, flash};
use kernel::http::{Files, Flat, Params, Patch, Response, Routes};
use kernel::secrets::Secret;

const PATH: &str = "/-/user_settings/profile";
const FIELDS: &[&str] = &[
    "name",
    "public_email",
    "bio",
    "location",
    "website_url",
    "organization",
    "job_title",
    "pronouns",
];

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, update);
    r.page(Method::POST, "/-/user_settings/avatar", set_avatar);
    r.page(Method::POST, "/-/user_settings/password", change_password);
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    render(&app, &viewer, Refusal::default()).await
}

async fn render(app: &App, viewer: &SignedInViewer, refusal: Refusal) -> Result<Response> {
    let id = viewer.0.user.id;
    let user = viewer.0.user.clone();
    let whole = app.read(move |tx| users::whole(tx, user, Some(id))).await?;
    let status = refusal.status();
    let view = Profile {
        page: own_settings(refusal.page(app, &viewer.viewer(), "Profile"), "Profile"),
        avatar_url: users::avatar_url(app, &whole.user),
        whole,
        now: app.now(),
        errors: refusal.errors,
    };
    Ok(Html::new(&view)?.status(status).response())
}

kernel::params! {
    /// The profile's form; a box that is not ticked is not sent.
    pub struct ProfileForm {
        pub name: Option<String>,
        pub public_email: Option<String>,
        pub bio: Option<String>,
        pub location: Option<String>,
        pub website_url: Option<String>,
        pub organization: Option<String>,
        pub job_title: Option<String>,
        pub pronouns: Option<String>,
        pub private_profile: Option<bool>,
    }
}

async fn update(app: App, viewer: SignedInViewer, form: Params<ProfileForm>) -> Result<Response> {
    let form = form.0;
    let texts = [
        ("public_email", form.public_email),
        ("bio", form.bio.map(|text| text.replace("\r\n", "\n"))),
        ("location", form.location),
        ("website_url", form.website_url),
        ("organization", form.organization),
        ("job_title", form.job_title),
        ("pronouns", form.pronouns),
    ];
    let given = texts.into_iter().filter(|(_, text)| text.is_some());
    let change = Change {
        name: form.name,
        rest: UserInput {
            private_profile: Patch::Value(form.private_profile.unwrap_or(false)),
            texts: Flat(Texts(given.collect())),
            ..UserInput::default()
        },
        ..Change::default()
    };
    let (id, by) = (viewer.0.user.id, viewer.author());
    match app.write(move |tx| users::update(tx, &by, id, &change)).await {
        Ok(_) => flash::done(&app, PATH, "Your profile is saved."),
        Err(error) => render(&app, &viewer, Refusal::of(error, FIELDS)?).await,
    }
}

kernel::params! {
    /// The form of the picture; the picture itself is a file.
    pub struct AvatarForm {
        pub remove: Option<bool>,
    }
}

async fn set_avatar(
    app: App, viewer: SignedInViewer, form: Params<AvatarForm>, files: Files,
) -> Result<Response> {
    let sent = files.named("avatar").filter(|bytes| !bytes.is_empty());
    let avatar = match (form.remove.unwrap_or(false), sent) {
        (true, _) => Ok(None),
        (false, Some(bytes)) => Avatar::new(bytes).map(Some),
        (false, None) => Err(Error::invalid("avatar", "can't be blank")),
    };
    let avatar = match avatar {
        Ok(avatar) => avatar,
        Err(error) => return render(&app, &viewer, Refusal::of(error, &["avatar"])?).await,
    };
    let (by, user) = (viewer.author(), viewer.0.user.clone());
    app.write(move |tx| users::set_avatar(tx, &by, &user, avatar.as_ref())).await?;
    flash::done(&app, PATH, "Your picture is saved.")
}

kernel::params! {
    pub struct PasswordForm {
        pub current_password: String,
        pub password: String,
        pub password_confirmation: String,
    }
}

async fn change_password(
    app: App, viewer: SignedInViewer, form: Params<PasswordForm>,
) -> Result<Response> {
    let (id, ip) = (viewer.0.user.id, viewer.0.ip_address.clone());
    let current = Secret::new(form.current_password.clone());
    let mut problem = None;
    if !sign_in::is_password(&app, id, &current, &ip).await? {
        problem = Some(("current_password", "is not your present password"));
    } else if let Some(text) = password_rules::problem(&form.password, &viewer.0.user) {
        problem = Some(("password", text));
    } else if form.password != form.password_confirmation {
        problem = Some(("password_confirmation", "doesn't match the new password"));
    }
    if let Some((field, text)) = problem {
        let refusal = Refusal {
            errors: Errors(vec![(field.to_owned(), vec![text.to_owned()])]),
            flash: Flash::failed("The password was not changed."),
            challenge: None,
        };
        return render(&app, &viewer, refusal).await;
    }
    let hash = password::hash(form.password.clone()).await?;
    let by = viewer.author();
    app.write(move |tx| {
        let this = viewer.0.session_id();
        users::set_password(tx, &by, &viewer.0.user, &hash, false, this)
    })
    .await?;
    let text = "Your password is changed, and all your other sessions have ended.";
    flash::done(&app, PATH, text)
}
