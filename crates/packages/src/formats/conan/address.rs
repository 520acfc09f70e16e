//! What a path below `conans/` or `files/` is about (contract 2.7).

use crate::rules::names;
use kernel::error::{Error, Result};

/// The revision of all that clients without revisions publish.
pub const WITHOUT_REVISIONS: &str = "0";
/// What stands for a recipe's user and channel where it has none.
const NONE: &str = "_";
/// Longest path of a metadata file, in bytes, and most parts of it.
const MAX_PATH: usize = 1024;
const MAX_PARTS: usize = 32;
/// Longest reference of a binary package, in bytes: a digest in hex.
const MAX_REFERENCE: usize = 128;

/// What a recipe is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its user, or `_`.
    pub user: String,
    /// Its channel, or `_`.
    pub channel: String,
}

impl Recipe {
    fn parse(parts: &[&str]) -> Result<Recipe> {
        let &[name, version, user, channel] = parts else {
            return Err(nothing());
        };
        require("package_name", is_name(name))?;
        require("package_version", is_name(version))?;
        require("package_username", user == NONE || is_name(user))?;
        require("package_channel", channel == NONE || is_name(channel))?;
        require("package_channel", (user == NONE) == (channel == NONE))?;
        Ok(Recipe {
            name: name.to_owned(),
            version: version.to_owned(),
            user: user.to_owned(),
            channel: channel.to_owned(),
        })
    }

    /// `name/version@user/channel`, which [`Recipe::read`] reads.
    pub fn full(&self) -> String {
        let Recipe { name, version, .. } = self;
        format!("{name}/{version}@{}/{}", self.user, self.channel)
    }

    /// A recipe by its full name.
    pub fn read(full: &str) -> Option<Recipe> {
        let path = full.replacen('@', "/", 1);
        let parts: Vec<&str> = path.split('/').collect();
        Recipe::parse(&parts).ok()
    }

    /// `name/version/user/channel`, as in addresses.
    pub fn path(&self) -> String {
        let Recipe { name, version, .. } = self;
        format!("{name}/{version}/{}/{}", self.user, self.channel)
    }

    /// The path of the project that the user of the recipe names, as recipes
    /// at the instance's address do: with `+` for `/`.
    pub fn project(&self) -> Option<String> {
        (self.user != NONE).then(|| self.user.replace('+', "/"))
    }

    /// Whether its user names the project of this path.
    pub fn is_of(&self, project: &str) -> bool {
        self.project().is_some_and(|path| path == project)
    }

    /// What a client may search for it by: each beginning of its name that
    /// ends with a part. `_` is not shown.
    pub fn beginnings(&self) -> Vec<String> {
        let Recipe { name, version, .. } = self;
        let mut texts = vec![
            name.clone(),
            format!("{name}/"),
            format!("{name}/{version}"),
            format!("{name}/{version}@"),
        ];
        if self.user != NONE {
            let user = format!("{name}/{version}@{}", self.user);
            texts.extend([user.clone(), format!("{user}/"), self.full()]);
        }
        texts
    }
}

/// A revision of a recipe, or of one of its binary packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The revision of the recipe.
    pub recipe_revision: String,
    /// Reference and revision of the binary package.
    pub binary: Option<(String, String)>,
}

impl Place {
    fn new(revision: &str, binary: Option<(&str, &str)>) -> Result<Place> {
        require("recipe_revision", is_revision(revision))?;
        if let Some((reference, revision)) = binary {
            require("package_reference", is_reference(reference))?;
            require("package_revision", is_revision(revision))?;
        }
        Ok(Place {
            recipe_revision: revision.to_owned(),
            binary: binary.map(|(reference, revision)| (reference.to_owned(), revision.to_owned())),
        })
    }

    /// Where clients without revisions keep a recipe or a binary package.
    pub fn without_revisions(reference: Option<&str>) -> Place {
        let zero = || WITHOUT_REVISIONS.to_owned();
        Place {
            recipe_revision: zero(),
            binary: reference.map(|reference| (reference.to_owned(), zero())),
        }
    }

    /// The reference of the binary package.
    pub fn reference(&self) -> Option<&str> {
        self.binary
            .as_ref()
            .map(|(reference, _)| reference.as_str())
    }

    /// Whether revisions here are digests of what they hold, which therefore
    /// never changes.
    pub fn is_fixed(&self) -> bool {
        let last = match &self.binary {
            Some((_, revision)) => revision,
            None => &self.recipe_revision,
        };
        last != WITHOUT_REVISIONS
    }

    /// The revision of the recipe that a binary package belongs to.
    pub fn of_recipe(&self) -> Place {
        Place {
            binary: None,
            ..self.clone()
        }
    }
}

/// What a path is about, behind the recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// The recipe as a whole, or a binary package of it.
    Whole(Option<String>),
    /// The address of the manifest, of the recipe or of a binary package.
    Digest(Option<String>),
    /// The addresses of all files there.
    DownloadUrls(Option<String>),
    /// Addresses to upload files to.
    UploadUrls(Option<String>),
    /// Binary packages to be deleted.
    DeletePackages,
    /// Files of the recipe to be deleted.
    RemoveFiles,
    /// The newest revision of the recipe.
    Latest,
    /// Its revisions.
    Revisions,
    /// Its binary packages, of a revision or the newest.
    Search(Option<String>),
    /// The binary packages of a revision.
    Packages(String),
    /// The newest revision of a binary package.
    BinaryLatest(String, String),
    /// The revisions of a binary package.
    BinaryRevisions(String, String),
    /// A revision.
    Revision(Place),
    /// The names of the files of a revision.
    Files(Place),
    /// A file of a revision.
    File(Place, String),
}

/// Reads a path below `v1/conans/`.
pub fn without_revisions(path: &str) -> Result<(Recipe, About)> {
    let parts = split(path);
    let (recipe, rest) = recipe_of(&parts)?;
    let (reference, what) = match rest {
        ["packages", "delete"] => return Ok((recipe, About::DeletePackages)),
        ["packages", reference, what @ ..] => (Some(*reference), what),
        ["remove_files"] => return Ok((recipe, About::RemoveFiles)),
        ["search"] => return Ok((recipe, About::Search(None))),
        what => (None, what),
    };
    require("package_reference", reference.is_none_or(is_reference))?;
    let reference = reference.map(str::to_owned);
    let about = match what {
        [] => About::Whole(reference),
        ["digest"] => About::Digest(reference),
        ["download_urls"] => About::DownloadUrls(reference),
        ["upload_urls"] => About::UploadUrls(reference),
        _ => return Err(nothing()),
    };
    Ok((recipe, about))
}

/// Reads a path below `v2/conans/`.
pub fn with_revisions(path: &str) -> Result<(Recipe, About)> {
    let parts = split(path);
    let (recipe, rest) = recipe_of(&parts)?;
    let checked = |revision: &str| {
        require("recipe_revision", is_revision(revision)).map(|()| revision.to_owned())
    };
    let binary = |revision: &str, reference: &str| -> Result<(String, String)> {
        require("package_reference", is_reference(reference))?;
        Ok((checked(revision)?, reference.to_owned()))
    };
    let about = match rest {
        ["latest"] => About::Latest,
        ["revisions"] => About::Revisions,
        ["search"] => About::Search(None),
        ["revisions", revision, "search"] => About::Search(Some(checked(revision)?)),
        ["revisions", revision, "packages"] => About::Packages(checked(revision)?),
        ["revisions", revision, "packages", reference, "latest"] => {
            let (revision, reference) = binary(revision, reference)?;
            About::BinaryLatest(revision, reference)
        }
        ["revisions", revision, "packages", reference, "revisions"] => {
            let (revision, reference) = binary(revision, reference)?;
            About::BinaryRevisions(revision, reference)
        }
        [
            "revisions",
            first,
            "packages",
            reference,
            "revisions",
            second,
            what @ ..,
        ] => within(Place::new(first, Some((reference, second)))?, what)?,
        ["revisions", revision, what @ ..] => within(Place::new(revision, None)?, what)?,
        _ => return Err(nothing()),
    };
    Ok((recipe, about))
}

/// Reads a path below `v1/files/`.
pub fn file(path: &str) -> Result<(Recipe, Place, String)> {
    let parts = split(path);
    let (recipe, rest) = recipe_of(&parts)?;
    let (place, file) = match rest {
        [revision, "export", file @ ..] => (Place::new(revision, None)?, file),
        [first, "package", reference, second, file @ ..] => {
            (Place::new(first, Some((reference, second)))?, file)
        }
        _ => return Err(nothing()),
    };
    match within(place, &[&["files"], file].concat())? {
        About::File(place, file) => Ok((recipe, place, file)),
        _ => Err(nothing()),
    }
}

fn within(place: Place, what: &[&str]) -> Result<About> {
    match what {
        [] => Ok(About::Revision(place)),
        ["files"] => Ok(About::Files(place)),
        ["files", path @ ..] => {
            let path = path.join("/");
            require("file_name", kind(&place, &path).is_some())?;
            Ok(About::File(place, path))
        }
        _ => Err(nothing()),
    }
}

fn split(path: &str) -> Vec<&str> {
    path.strip_suffix('/').unwrap_or(path).split('/').collect()
}

fn recipe_of<'p, 's>(parts: &'p [&'s str]) -> Result<(Recipe, &'p [&'s str])> {
    let (recipe, rest) = parts.split_at_checked(4).ok_or_else(nothing)?;
    Ok((Recipe::parse(recipe)?, rest))
}

/// How an archive is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packed {
    /// With gzip.
    Gzip,
    /// With xz.
    Xz,
    /// With zstd.
    Zstd,
}

/// How archives are packed, by what ends their names.
const PACKED: [(&str, Packed); 3] = [
    ("gz", Packed::Gzip),
    ("xz", Packed::Xz),
    ("zst", Packed::Zstd),
];

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `conanfile.py`.
    Source,
    /// `conanmanifest.txt`, which clients send last.
    Manifest,
    /// `conaninfo.txt`.
    Info,
    /// An archive.
    Archive(Packed),
    /// Below `metadata/`, whose files may change.
    Metadata,
}

/// The file that a revision is complete with.
pub const MANIFEST: &str = "conanmanifest.txt";
/// The file that tells what a binary package is made for.
pub const INFO: &str = "conaninfo.txt";

/// What the file of this path is, if there may be one.
pub fn kind(place: &Place, path: &str) -> Option<Kind> {
    let archives: &[&str] = match place.binary {
        Some(_) => &["conan_package.t"],
        None => &["conan_export.t", "conan_sources.t"],
    };
    match path {
        MANIFEST => return Some(Kind::Manifest),
        INFO if place.binary.is_some() => return Some(Kind::Info),
        "conanfile.py" if place.binary.is_none() => return Some(Kind::Source),
        _ => {}
    }
    if let Some(rest) = path.strip_prefix("metadata/") {
        return is_metadata(rest).then_some(Kind::Metadata);
    }
    let ending = archives.iter().find_map(|stem| path.strip_prefix(stem))?;
    let packed = PACKED.iter().find(|(name, _)| *name == ending)?;
    Some(Kind::Archive(packed.1))
}

/// The names of one archive, however it is packed; of other files the name.
pub fn alternatives(kind: Kind, path: &str) -> Vec<String> {
    match (kind, path.rsplit_once(".t")) {
        (Kind::Archive(_), Some((stem, _))) => {
            let name = |(ending, _): &(&str, Packed)| format!("{stem}.t{ending}");
            PACKED.iter().map(name).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// The name a file is stored under.
pub fn stored(path: &str) -> String {
    names::encoded(path)
}

fn is_metadata(path: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |c: char| !c.is_control() && c != '\\';
        !matches!(part, "" | "." | "..")
            && part.len() <= names::MAX_NAME
            && part.chars().all(is_plain)
    };
    path.len() <= MAX_PATH && path.split('/').count() <= MAX_PARTS && path.split('/').all(is_part)
}

/// `[a-zA-Z0-9_][a-zA-Z0-9_+.-]{1,49}`
fn is_name(text: &str) -> bool {
    let is_letter = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let bytes = text.as_bytes();
    (2..=50).contains(&bytes.len())
        && is_letter(bytes[0])
        && bytes[1..]
            .iter()
            .all(|c| is_letter(*c) || b"+.-".contains(c))
}

fn is_revision(text: &str) -> bool {
    let is_digest = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    text == WITHOUT_REVISIONS || (matches!(text.len(), 32 | 40) && text.bytes().all(is_digest))
}

fn is_reference(text: &str) -> bool {
    (1..=MAX_REFERENCE).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_alphanumeric())
}

fn require(field: &str, holds: bool) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::Parameters(vec![format!("{field} is invalid")]))
    }
}

fn nothing() -> Error {
    Error::NotFound("Package")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "0123456789abcdef0123456789abcdef";

    fn about(path: &str) -> About {
        with_revisions(&format!("ham/1.0/acme/stable/{path}"))
            .unwrap()
            .1
    }

    #[test]
    fn recipes_have_four_parts() {
        let (recipe, about) = without_revisions("ham/1.0+b/acme+anvil/stable").unwrap();
        assert_eq!(recipe.full(), "ham/1.0+b@acme+anvil/stable");
        assert_eq!(recipe.path(), "ham/1.0+b/acme+anvil/stable");
        assert_eq!(recipe.project().as_deref(), Some("acme/anvil"));
        assert_eq!(about, About::Whole(None));
        assert_eq!(Recipe::read(&recipe.full()), Some(recipe));
        let (bare, _) = without_revisions("ham/1.0/_/_/").unwrap();
        assert_eq!((bare.project(), bare.full()), (None, "ham/1.0@_/_".into()));
        let long = format!("{}/1.0/_/_", "a".repeat(51));
        for path in [
            "",
            "ham",
            "ham/1.0/_",
            "h/1.0/_/_",
            "ham/1.0/acme/_",
            "ham/1.0/_/stable",
            "-am/1.0/_/_",
            "ham/../_/_",
            "ham/1.0/a b/stable",
            "ham/1.0/äh/stable",
            "ham//_/_",
            "ham/1%2f0/_/_",
            "ham/1.0\0/_/_",
            "ham/1.0/__/..",
            &long,
        ] {
            assert!(without_revisions(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn paths_tell_what_they_are_about() {
        let hex = || HEX.to_owned();
        let pref = || "5ab8".to_owned();
        let place = |binary: Option<(String, String)>| Place {
            recipe_revision: hex(),
            binary,
        };
        assert_eq!(about("latest"), About::Latest);
        assert_eq!(about("search"), About::Search(None));
        assert_eq!(
            about(&format!("revisions/{HEX}/search")),
            About::Search(Some(hex()))
        );
        assert_eq!(
            about(&format!("revisions/{HEX}")),
            About::Revision(place(None))
        );
        let packages = format!("revisions/{HEX}/packages");
        assert_eq!(about(&packages), About::Packages(hex()));
        assert_eq!(
            about(&format!("{packages}/5ab8/latest")),
            About::BinaryLatest(hex(), pref())
        );
        let binary = format!("{packages}/5ab8/revisions");
        assert_eq!(about(&binary), About::BinaryRevisions(hex(), pref()));
        let within = || place(Some((pref(), hex())));
        assert_eq!(about(&format!("{binary}/{HEX}")), About::Revision(within()));
        assert_eq!(
            about(&format!("{binary}/{HEX}/files")),
            About::Files(within())
        );
        assert_eq!(
            about(&format!("{binary}/{HEX}/files/metadata/logs/a b.txt")),
            About::File(within(), "metadata/logs/a b.txt".into())
        );
        let (_, place, name) = file("ham/1.0/_/_/0/package/5ab8/0/conan_package.tgz").unwrap();
        assert_eq!(
            (place, name.as_str()),
            (Place::without_revisions(Some("5ab8")), "conan_package.tgz")
        );
        let (_, what) = without_revisions("ham/1.0/_/_/packages/5ab8/digest").unwrap();
        assert_eq!(what, About::Digest(Some(pref())));
        for path in [
            "revisions/1",
            "revisions/0123",
            "revisions/g",
            "packages",
            "latest/a",
            "revisions//files",
            &format!("revisions/{}", HEX.to_uppercase()),
            &format!("revisions/{HEX}/packages/a-b/latest"),
            &format!("revisions/{HEX}/files/evil.sh"),
            &format!("revisions/{HEX}/files/conaninfo.txt"),
            &format!("{binary}/{HEX}/files/conanfile.py"),
        ] {
            assert!(
                with_revisions(&format!("ham/1.0/_/_/{path}")).is_err(),
                "{path}"
            );
        }
    }

    #[test]
    fn files_have_known_names() {
        let (recipe, binary) = (
            Place::without_revisions(None),
            Place::without_revisions(Some("a")),
        );
        assert_eq!(
            kind(&recipe, "conan_export.txz"),
            Some(Kind::Archive(Packed::Xz))
        );
        assert_eq!(
            kind(&binary, "conan_package.tzst"),
            Some(Kind::Archive(Packed::Zstd))
        );
        let all = [
            "conan_package.tgz",
            "conan_package.txz",
            "conan_package.tzst",
        ];
        assert_eq!(
            alternatives(Kind::Archive(Packed::Xz), "conan_package.txz"),
            all
        );
        assert_eq!(
            alternatives(Kind::Metadata, "metadata/a.txt"),
            ["metadata/a.txt"]
        );
        for path in [
            "",
            "metadata",
            "metadata/",
            "metadata//a",
            "metadata/../a",
            "metadata/a/..",
            "metadata/a\\b",
            "metadata/a\r\nb",
            "metadata/\0",
            "conan_export.tbz",
            "conan_export.t",
            "conan_export.tgz/a",
            "CONANFILE.PY",
            "conan_package.tgz",
        ] {
            assert_eq!(kind(&recipe, path), None, "{path:?}");
        }
    }
}
