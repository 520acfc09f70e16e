//! A part of the instance's settings, of this room or one above, whose keys
//! map to the fields of one stored [`Setting`](kernel::settings::Setting) one
//! to one.

use kernel::app::App;
use kernel::error::Result;
use kernel::http::params::{Field, Source};
use serde_json::{Map, Value};
use store::Tx;

/// One part: its parameters, and how it is looked at, read and written.
#[derive(Clone, Copy)]
pub struct Part {
    /// Its parameters, for the description of the interface.
    pub fields: fn() -> Vec<Field>,
    /// What is wrong with the types of what was sent.
    pub check: fn(&Source) -> std::result::Result<(), Vec<String>>,
    /// Adds the present values to the settings.
    pub read: fn(&mut Tx<'_>, &mut Map<String, Value>) -> Result<()>,
    pub write: fn(&App, &mut Tx<'_>, &Source) -> Result<()>,
}

/// Makes `PART` of a setting: `key: type => field` for each value. What is
/// `sealed` is a secret: stored encrypted, never shown; sent as a blank text
/// it stays, as null it is forgotten. A value that is stored the other way round
/// is written `key: type => field by function`, which is its own inverse.
#[macro_export]
macro_rules! settings_part {
    ($setting:ty {
        $($(#[doc = $doc:literal])* $key:ident: $kind:ty => $field:ident $(by $turn:path)?,)*
    } sealed {
        $($(#[doc = $about:literal])* $secret:ident => $place:ident,)*
    }) => {
        kernel::params! {
            /// What was sent.
            struct Sent {
                $($(#[doc = $doc])* pub $key: Option<$kind>,)*
                $($(#[doc = $about])* pub $secret: kernel::http::Patch<String>,)*
            }
        }

        /// These values as a part of the instance's settings.
        pub const PART: $crate::settings::Part = $crate::settings::Part {
            fields: <Sent as kernel::http::params::FromParams>::fields,
            check: |source| {
                <Sent as kernel::http::params::FromParams>::from_params(source).map(drop)
            },
            read: |tx, all| {
                let stored: $setting = kernel::settings::read(tx)?;
                $(
                    let value = &stored.$field;
                    $(let value = $turn(*value);)?
                    all.insert(stringify!($key).to_owned(), kernel::serde_json::json!(value));
                )*
                Ok(())
            },
            write: |app, tx, source| {
                let sent = <Sent as kernel::http::params::FromParams>::from_params(source)
                    .map_err(kernel::error::Error::Parameters)?;
                let mut stored: $setting = kernel::settings::read(tx)?;
                $(if let Some(value) = sent.$key {
                    $(let value = $turn(value);)?
                    stored.$field = value;
                })*
                $(match sent.$secret {
                    kernel::http::Patch::Value(text) if !text.is_empty() => {
                        let sealed = app.secrets().seal(stringify!($secret), text.as_bytes());
                        stored.$place = Some(sealed);
                    }
                    kernel::http::Patch::Null => stored.$place = None,
                    _ => {}
                })*
                stored.validate()?;
                app.settings().set(tx, &stored)
            },
        };
    };
}
