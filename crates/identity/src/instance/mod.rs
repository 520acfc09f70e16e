//! What administrators may change about the instance, as one list of keys: of
//! this room, the kernel and the rooms above.

pub mod front;
mod graphql;
mod limits;
mod outbound;
mod read_only;

use crate::author::Author;
use crate::hooks::{self, Hooks};
use crate::oauth;
use crate::settings::{self, Part};
use crate::{addresses, admin_mode, sign_up, spam, two_factor};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Source;
use kernel::http::{Call, FromCall};
use serde_json::{Map, Value, json};
use store::Tx;

/// What nobody can change: it is shown among what can.
const FIXED: Part = Part {
    fields: Vec::new,
    check: |_| Ok(()),
    read: |_, all| {
        let least = json!(crate::password::MIN);
        all.insert("minimum_password_length".to_owned(), least);
        Ok(())
    },
    write: |_, _, _| Ok(()),
};

/// Those of this room and the kernel, in wire order.
const PARTS: &[Part] = &[
    settings::attempts::PART,
    FIXED,
    settings::new_users::PART,
    settings::sessions::PART,
    settings::tokens::PART,
    limits::PART,
    outbound::PART,
    oauth::settings::PART,
    sign_up::settings::PART,
    spam::settings::check::PART,
    spam::settings::challenge::PART,
    two_factor::settings::PART,
    graphql::PART,
    read_only::PART,
    addresses::PART,
    admin_mode::PART,
    front::name::PART,
    front::PART,
];

/// Those and the ones of the rooms above.
fn parts(hooks: &Hooks) -> impl Iterator<Item = &Part> {
    PARTS.iter().chain(&hooks.settings)
}

/// Everything that was sent, for this room, the kernel and the rooms above.
pub struct Everything(Source);

impl FromCall for Everything {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let source = call.merged().await?.clone();
        Everything::of(&call.app, source)
    }

    fn describe(operation: &mut kernel::http::openapi::Operation<'_>) {
        let hooks = operation.plugged::<Hooks>();
        let above = hooks.into_iter().flat_map(|hooks| &hooks.settings);
        let settings = PARTS.iter().chain(above);
        operation.parameters(settings.flat_map(|part| (part.fields)()).collect());
    }
}

pub fn read(tx: &mut Tx<'_>) -> Result<Map<String, Value>> {
    let mut all = Map::new();
    parts(hooks::get(tx)?).try_for_each(|part| (part.read)(tx, &mut all))?;
    Ok(all)
}

impl Everything {
    /// What was sent, unless a value is of no use to its setting.
    pub fn of(app: &App, source: Source) -> Result<Everything> {
        let wrong = parts(app.plugged()?).filter_map(|part| (part.check)(&source).err());
        let wrong: Vec<String> = wrong.flatten().collect();
        match wrong.is_empty() {
            true => Ok(Everything(source)),
            false => Err(Error::Parameters(wrong)),
        }
    }

    /// Stores what was sent and answers all settings.
    pub fn save(&self, app: &App, tx: &mut Tx<'_>, by: &Author) -> Result<Map<String, Value>> {
        parts(hooks::get(tx)?).try_for_each(|part| (part.write)(app, tx, &self.0))?;
        record(tx, by, &self.0)?;
        read(tx)
    }
}

/// Names what was sent; values of other rooms' settings may be secret.
fn record(tx: &mut Tx<'_>, by: &Author, source: &Source) -> Result<()> {
    let secret = ["private_token", "access_token", "bearer_token", "sudo", crate::csrf::FIELD];
    let keys: Vec<&String> = source.keys().filter(|key| !secret.contains(&key.as_str())).collect();
    kernel::audit::record(
        tx,
        by,
        "settings.update",
        ("Instance", 0, "settings"),
        json!({"changed": keys}),
    )
}
