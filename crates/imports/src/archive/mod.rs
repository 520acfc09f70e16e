//! Projects as files (docs/project-file-format.md): written ([`exports`], [`writing`]), and
//! brought by an import whose source is such a file ([`File`]).
//!
//! A file that comes is sent here ([`arriving`]) or fetched ([`origin`], [`s3`]), taken apart once
//! ([`reading`], [`unpack`]) into blobs, and read from these page by page ([`lines`],
//! [`bring`]). Parts of one are brought into projects that are there ([`relations`]).
//!
//! Tables (migration 0127): `project_exports`, `project_files`, `project_file_members`,
//! `relation_imports`. Jobs: `imports.write_project_file`, `imports.send_project_file`,
//! `imports.sweep_project_files`. Settings: [`settings::PART`].

pub mod arriving;
mod blocking;
mod bring;
pub mod exports;
mod file;
pub mod format;
mod lines;
pub mod origin;
mod out;
mod reading;
pub mod relations;
pub mod rules;
pub mod s3;
pub mod settings;
mod store;
pub mod unpack;
mod writing;

pub use file::File;

pub(crate) fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    exports::jobs::register(registry);
}
