//! Pages: what every room's HTML has in common.
//!
//! A template extends `layout.html` and is a struct with a field
//! `page: Page`; its parts (fields, badges, pagers) come from [`ui`]. [`Html`]
//! turns it into a response with strict headers, [`asset`] serves the style
//! sheet, script and pictures, [`error_page`] says every refusal. A room finds
//! these templates by `dirs = ["templates", "../kernel/templates"]` in its
//! `askama.toml`. Everything works without the script.

mod assets;
mod errors;
mod explained;
pub mod flash;
pub mod form;
pub mod instance;
mod nav;
mod page;
mod preferences;
mod reply;
pub mod samples;
pub mod shield;
mod themes;
pub mod ui;
mod zoned;

#[cfg(test)]
mod tests;

pub use assets::{asset, asset_response, asset_url};
pub use errors::error_page;
pub(crate) use errors::{SIGN_IN, sign_in};
pub use nav::{Nav, NavLink, NavPart};
pub use page::{Errors, Feed, Flash, Moment, Notice, Page, PageViewer, Pages, Seen, Tone};
pub use preferences::{Density, FirstDay, Preferences, Theme};
pub use reply::Html;
