//! Making and changing accounts.

use crate::author::Author;
use crate::entities::{self, Detail, UserEntity};
use crate::model::User;
use crate::password;
use crate::password_rules::{self, Person};
use crate::users::{self, Avatar, Change, NewUser, UserInput};
use crate::viewer::{Admin, SignedIn};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Files, Flat, Ok200, Params, Patch, Routes};

pub fn routes(r: &mut Routes) {
    r.post("/users", create).summary("Creates a user");
    r.put("/users/{id}", update).reauthenticated().summary("Changes a user");
}

/// The picture that was sent: `None` leaves it, `Some(None)` takes it away.
pub(in crate::rest) fn sent_avatar(
    files: &Files, field: &Patch<String>,
) -> Result<Option<Option<Avatar>>> {
    if let Some(bytes) = files.named("avatar") {
        return Avatar::new(bytes).map(|avatar| Some(Some(avatar)));
    }
    match field {
        Patch::Absent => Ok(None),
        Patch::Null => Ok(Some(None)),
        Patch::Value(text) if text.is_empty() => Ok(Some(None)),
        Patch::Value(_) => Err(Error::Parameters(vec!["avatar is invalid".into()])),
    }
}

kernel::params! {
    /// What may be said of a user, new or not.
    pub struct UserRest {
        pub input: Flat<UserInput>,
        /// Picture: a file of a multipart body; blank for none.
        pub avatar: Patch<String>,
    }
}

kernel::params! {
    pub struct CreateUser {
        /// Primary e-mail.
        pub email: String,
        /// Display name.
        pub name: String,
        /// Login.
        pub username: String,
        /// Password, 8 to 128 characters.
        pub password: Option<String>,
        /// Sends a link to choose a password instead.
        pub reset_password: Option<bool>,
        /// Sets a password nobody knows instead.
        pub force_random_password: Option<bool>,
        /// The e-mail counts as confirmed.
        pub skip_confirmation: Option<bool>,
        /// Everything else, as in an update.
        pub admin: Option<bool>,
        /// What is optional in both.
        pub rest: Flat<UserRest>,
    }
}

async fn create(
    app: App, admin: Admin, params: Params<CreateUser>, files: Files,
) -> Result<Created<UserEntity>> {
    let avatar = sent_avatar(&files, &params.rest.avatar)?;
    let automatic =
        params.force_random_password == Some(true) || params.reset_password == Some(true);
    let password = match (&params.password, automatic) {
        (Some(password), _) if !password.is_empty() => password.clone(),
        (_, true) => password::random(),
        _ => {
            return Err(Error::Parameters(vec![
                "password, reset_password, force_random_password are missing, at least one \
                 parameter must be provided"
                    .into(),
            ]));
        }
    };
    let mut new = NewUser {
        username: params.username.clone(),
        name: params.name.clone(),
        email: params.email.clone(),
        password_hash: String::new(),
        password_automatic: automatic,
        admin: params.admin.unwrap_or(false),
        confirmed: params.skip_confirmation.unwrap_or(false),
        pending: false,
        rest: params.rest.input.0.clone(),
    };
    users::check_new(&new, &password)?;
    new.password_hash = password::hash(password).await?;
    let by = admin.author();
    let (caller, reset) = (admin.0.user.id, params.reset_password == Some(true));
    let whole = app
        .write(move |tx| {
            let mut user = users::make(tx, &by, &new, reset).map_err(conflict)?;
            if let Some(Some(avatar)) = &avatar {
                user = users::set_avatar(tx, &by, &user, Some(avatar))?;
            }
            users::whole(tx, user, Some(caller))
        })
        .await?;
    Ok(Created(entities::entity(&app, &whole, Detail::Admin)))
}

/// A name or address that somebody has is a conflict here, as clients expect.
fn conflict(error: Error) -> Error {
    let Error::Invalid(problems) = &error else {
        return error;
    };
    let taken = |field: &str| {
        problems.iter().any(|(name, texts)| {
            name == field && texts.iter().any(|text| text == "has already been taken")
        })
    };
    if taken("email") {
        Error::Conflict("Email has already been taken".into())
    } else if taken("username") {
        Error::Conflict("Username has already been taken".into())
    } else {
        error
    }
}

kernel::params! {
    pub struct UpdateUser {
        /// Id of the user.
        pub id: i64,
        /// Primary e-mail.
        pub email: Option<String>,
        /// Display name.
        pub name: Option<String>,
        /// Login.
        pub username: Option<String>,
        /// Password; must be changed at the next sign-in.
        pub password: Option<String>,
        /// The e-mail counts as confirmed at once.
        pub skip_reconfirmation: Option<bool>,
        /// Administrator or not.
        pub admin: Option<bool>,
        /// What is optional in both.
        pub rest: Flat<UserRest>,
    }
}

async fn update(
    app: App, admin: Admin, params: Params<UpdateUser>, files: Files,
) -> Result<Ok200<UserEntity>> {
    let id = params.id;
    let avatar = sent_avatar(&files, &params.rest.avatar)?;
    let is_confirmed = params.skip_reconfirmation == Some(true);
    let change = Change {
        username: params.username.clone(),
        name: params.name.clone(),
        email: params.email.clone(),
        admin: params.admin,
        rest: params.rest.input.0.clone(),
    };
    let password = params.password.clone().filter(|password| !password.is_empty());
    let hash = match password {
        Some(password) => {
            let user = app.read(move |tx| users::find(tx, id)?.found("User"));
            check_password(&password, &user.await?, &change)?;
            Some(password::hash(password).await?)
        }
        None => None,
    };
    let by = admin.author();
    let caller = admin.0.clone();
    let whole = app
        .write(move |tx| {
            let mut user =
                users::alter(tx, &caller, id, &change, is_confirmed).map_err(conflict)?;
            if let Some(avatar) = &avatar {
                user = users::set_avatar(tx, &by, &user, avatar.as_ref())?;
            }
            if let Some(hash) = &hash {
                set_password(tx, &by, &user, hash, &caller)?;
            }
            users::whole(tx, user, Some(caller.user.id))
        })
        .await?;
    Ok(Ok200(entities::entity(&app, &whole, Detail::Admin)))
}

/// Refuses a password that does not do for the user as they will be.
fn check_password(password: &str, user: &User, change: &Change) -> Result<()> {
    let person = Person {
        username: change.username.as_deref().unwrap_or(&user.username),
        name: change.name.as_deref().unwrap_or(&user.name),
        email: change.email.as_deref().unwrap_or(&user.email),
    };
    match password_rules::problem(password, person) {
        Some(problem) => Err(Error::invalid("password", problem)),
        None => Ok(()),
    }
}

/// A password that somebody else chose must be changed at the next sign-in.
fn set_password(
    tx: &mut store::Tx<'_>, by: &Author, user: &User, hash: &str, caller: &SignedIn,
) -> Result<()> {
    let own = caller.user.id == user.id;
    users::set_password(tx, by, user, hash, !own, None)
}
