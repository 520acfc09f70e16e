//! Adding a file to a package, which is made with its first file.

use super::{protection, record_file};
use crate::access::RegistryAccess;
use crate::activity;
use crate::builds;
use crate::keys::package_version_key;
use crate::model::{Package, PackageFile, PackageType, Status};
use crate::readme::Readme;
use crate::settings;
use crate::store::packages::NewPackage;
use crate::store::{files, packages};
use identity::viewer::Viewer;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use spaces::activity::Action;
use store::Tx;

#[derive(Debug, Clone)]
pub struct Destination {
    pub package_type: PackageType,
    pub name: String,
    pub version: Option<String>,
    pub recipe: Option<String>,
    /// The stored name of the file, already checked by the format.
    pub file_name: String,
    /// The state a new package gets; one that exists keeps its own.
    pub status: Status,
    /// What the format calls publishing the same again.
    pub repeat: Repeat,
    /// How the format refuses that, where it is not allowed.
    pub refusal: fn() -> Error,
    /// What the format keeps of the version, as JSON text; replaces what it
    /// kept before.
    pub metadata: Option<String>,
    /// What the format keeps of the file, as JSON text.
    pub file_metadata: Option<String>,
    /// What the archive says at length; goes with the metadata.
    pub readme: Option<Readme>,
}

/// What a format calls publishing the same again. Whether it may be is the
/// namespace's setting, or the format's own rule
/// ([`settings::PackageSettings::allows_duplicate`]).
#[derive(Debug, Clone, Copy)]
pub enum Repeat {
    /// A file of this name in this version.
    File,
    /// A file of this kind in this version, as the format tells the kinds of
    /// files by their names.
    Kind(fn(&Destination, &str) -> String),
    Version,
    /// Nothing: the newest file of a name counts.
    Nothing,
}

impl Destination {
    /// A file of a version, refused if there is one of this name and the
    /// namespace or format wants that.
    pub fn new(
        package_type: PackageType, name: &str, version: Option<&str>, file_name: String,
    ) -> Destination {
        Destination {
            package_type,
            name: name.to_owned(),
            version: version.map(str::to_owned),
            recipe: None,
            file_name,
            status: Status::Default,
            repeat: Repeat::File,
            refusal: || Error::BadRequest("Duplicate package is not allowed".into()),
            metadata: None,
            file_metadata: None,
            readme: None,
        }
    }

    /// The package in this project that it names, if there is one.
    pub fn package(&self, tx: &mut Tx<'_>, project_id: i64) -> Result<Option<Package>> {
        let (version, recipe) = (self.version.as_deref(), self.recipe.as_deref());
        let key = package_version_key(self.package_type, version, recipe);
        packages::find_keyed(tx, project_id, self.package_type, &self.name, &key)
    }
}

/// Refuses what is known to be refused before the bytes arrive. The same is
/// asked again when they have: rules may change meanwhile.
pub fn check(tx: &mut Tx<'_>, entered: &RegistryAccess, to: &Destination) -> Result<()> {
    protection::check_push(tx, entered, to.package_type, &to.name)?;
    match to.package(tx, entered.project.id)? {
        Some(package) => check_duplicate(tx, entered, &package, to),
        None => Ok(()),
    }
}

/// Refuses to publish the same again where the namespace wants that.
fn check_duplicate(
    tx: &mut Tx<'_>, entered: &RegistryAccess, package: &Package, to: &Destination,
) -> Result<()> {
    let is_repeated = match to.repeat {
        Repeat::File => files::newest(tx, package.id, &to.file_name)?.is_some(),
        Repeat::Kind(kind) => {
            let wanted = kind(to, &to.file_name);
            let names = files::names(tx, package.id)?;
            names.iter().any(|name| kind(to, name) == wanted)
        }
        Repeat::Version => true,
        Repeat::Nothing => false,
    };
    if !is_repeated {
        return Ok(());
    }
    let settings = settings::effective(tx, entered.project.namespace_id)?;
    if settings.allows_duplicate(to.package_type, &to.name, to.version.as_deref()) {
        return Ok(());
    }
    Err((to.refusal)())
}

/// Adds the stored bytes as a file; finds or makes the package.
pub fn add_file(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &RegistryAccess, to: &Destination, stored: &Stored,
) -> Result<(Package, PackageFile)> {
    protection::check_push(tx, entered, to.package_type, &to.name)?;
    let (package, is_new) = find_or_create(tx, viewer, entered, to)?;
    if !is_new {
        check_duplicate(tx, entered, &package, to)?;
    }
    if let Some(metadata) = &to.metadata {
        packages::set_metadata(tx, package.id, metadata)?;
        match &to.readme {
            Some(readme) => packages::set_readme(tx, package.id, readme)?,
            None if is_new => {}
            None => packages::remove_readme(tx, package.id)?,
        }
    }
    let metadata = to.file_metadata.as_deref();
    let file = add_beside(tx, viewer, &package, &to.file_name, stored, metadata)?;
    spaces::rules::note_activity(tx, entered.project.id)?;
    Ok((package, file))
}

/// Adds a further file to a package of this transaction.
pub fn add_beside(
    tx: &mut Tx<'_>, viewer: &Viewer, package: &Package, file_name: &str, stored: &Stored,
    metadata: Option<&str>,
) -> Result<PackageFile> {
    let file = files::insert(tx, package, file_name, stored, metadata)?;
    builds::record(tx, viewer, &file)?;
    packages::touch(tx, package.id)?;
    record_file(tx, viewer, "package_file.create", (package, &file))?;
    Ok(file)
}

/// The package, and whether it was made just now.
fn find_or_create(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &RegistryAccess, to: &Destination,
) -> Result<(Package, bool)> {
    let project = &entered.project;
    let new = NewPackage {
        project_id: project.id,
        package_type: to.package_type,
        name: &to.name,
        version: to.version.as_deref(),
        recipe: to.recipe.as_deref(),
        status: to.status,
        creator_id: viewer.user_id(),
    };
    let added = packages::insert(tx, &new)?;
    let package = to
        .package(tx, project.id)?
        .ok_or_else(|| Error::internal("a package vanished within its transaction"))?;
    if added && package.is_listed() {
        packages::add_to_count(tx, project.id, 1)?;
        activity::record(tx, viewer, Action::Created, &package)?;
    }
    Ok((package, added))
}
