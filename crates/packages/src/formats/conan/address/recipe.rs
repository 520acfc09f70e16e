//! What recipes and their revisions are called.

use super::nothing;
use crate::rules::names::require;
use kernel::error::Result;

/// The revision of all that clients without revisions publish.
pub const WITHOUT_REVISIONS: &str = "0";
/// What stands for a recipe's user and channel where it has none.
const NONE: &str = "_";
/// Longest reference of a binary package, in bytes: a digest in hex.
const MAX_REFERENCE: usize = 128;

/// What a recipe is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    pub name: String,
    pub version: String,
    /// Its user, or `_`.
    pub user: String,
    /// Its channel, or `_`.
    pub channel: String,
}

impl Recipe {
    pub(super) fn parse(parts: &[&str]) -> Result<Recipe> {
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
pub struct RevisionPath {
    /// The revision of the recipe.
    pub recipe_revision: String,
    /// Reference and revision of the binary package.
    pub binary: Option<(String, String)>,
}

impl RevisionPath {
    pub(super) fn new(revision: &str, binary: Option<(&str, &str)>) -> Result<RevisionPath> {
        require("recipe_revision", is_revision(revision))?;
        if let Some((reference, revision)) = binary {
            require("package_reference", is_reference(reference))?;
            require("package_revision", is_revision(revision))?;
        }
        Ok(RevisionPath {
            recipe_revision: revision.to_owned(),
            binary: binary.map(|(reference, revision)| (reference.to_owned(), revision.to_owned())),
        })
    }

    /// Where clients without revisions keep a recipe or a binary package.
    pub fn without_revisions(reference: Option<&str>) -> RevisionPath {
        let zero = || WITHOUT_REVISIONS.to_owned();
        RevisionPath {
            recipe_revision: zero(),
            binary: reference.map(|reference| (reference.to_owned(), zero())),
        }
    }

    /// The reference of the binary package.
    pub fn reference(&self) -> Option<&str> {
        self.binary.as_ref().map(|(reference, _)| reference.as_str())
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
    pub fn of_recipe(&self) -> RevisionPath {
        RevisionPath { binary: None, ..self.clone() }
    }
}

/// `[a-zA-Z0-9_][a-zA-Z0-9_+.-]{1,49}`
fn is_name(text: &str) -> bool {
    let is_letter = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let bytes = text.as_bytes();
    (2..=50).contains(&bytes.len())
        && is_letter(bytes[0])
        && bytes[1..].iter().all(|c| is_letter(*c) || b"+.-".contains(c))
}

pub(super) fn is_revision(text: &str) -> bool {
    let is_digest = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    text == WITHOUT_REVISIONS || (matches!(text.len(), 32 | 40) && text.bytes().all(is_digest))
}

pub(super) fn is_reference(text: &str) -> bool {
    (1..=MAX_REFERENCE).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_alphanumeric())
}
