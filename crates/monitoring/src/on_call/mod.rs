//! Who is on call when, and whom an alert pages that nobody looks after
//! (docs/interface/monitoring.md 3).
//!
//! A schedule has rotations, a rotation people who take turns; [`shifts`]
//! computes who is on call from that and a time zone. A policy says who is
//! paged how long after an alert began: [`rules::escalation::begin`] starts
//! it in the transaction that keeps the alert, [`jobs`] carry it out.

pub mod access;
pub mod graph;
pub mod jobs;
pub mod mine;
pub mod model;
mod pages;
pub(crate) mod related;
pub mod rest;
pub mod rules;
pub mod shifts;
pub mod store;
pub mod zones;

use ::store::Tx;
use identity::hooks::Destroying;
use kernel::error::Result;
use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    rest::routes(r);
    pages::routes(r);
}

/// A user who goes is on call no longer.
pub fn user_destroying(tx: &mut Tx<'_>, destroying: &Destroying) -> Result<()> {
    store::rotations::forget_user(tx, destroying.user.id)?;
    store::policies::forget_user(tx, destroying.user.id)
}
