//! Read-only mode: while it is on, what people made does not change. They
//! sign in and out and read; the server itself goes on noting what happened.
//! Administrators turn it on for maintenance (`maintenance_mode`).

use crate::app::App;
use crate::error::{Error, Result};

/// What a change is refused with (docs/interface/graphql.md 8).
pub const TEXT: &str = "You cannot perform write operations on a read-only instance";

kernel::setting! {
    /// Whether it is on.
    #[derive(Copy)]
    pub struct ReadOnly = "kernel.read_only" {
        /// It is.
        pub enabled: bool = false,
    }
}

impl ReadOnly {
    /// Every value is possible.
    pub fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// Refuses a change while it is on.
pub async fn check(app: &App) -> Result<()> {
    let setting: ReadOnly = app.settings().get(app).await?;
    match setting.enabled {
        true => Err(Error::forbidden(TEXT)),
        false => Ok(()),
    }
}
