//! The navigation beside a page: of a project, a group, one's own settings, the
//! administration.

use super::ui::{Icon, icon};

/// What a page belongs to, with links to its other pages.
#[derive(Debug, Clone, Default)]
pub struct Nav {
    /// What it is the navigation of, for screen readers: `Project`, `Group`,
    /// `Administration`.
    pub label: &'static str,
    /// Its name, at the head.
    pub name: String,
    /// Where the name leads.
    pub url: String,
    /// What tells pages of the same title apart in window titles: a path, or
    /// the name.
    pub context: String,
    /// The letters of the name stand before it.
    pub has_picture: bool,
    /// Links in groups, those of a project by what people are about.
    pub parts: Vec<NavPart>,
}

/// Links that belong together.
#[derive(Debug, Clone)]
pub struct NavPart {
    /// Empty for those that need no name.
    pub title: &'static str,
    /// Top to bottom.
    pub links: Vec<NavLink>,
}

/// One page of the navigation.
#[derive(Debug, Clone)]
pub struct NavLink {
    /// Its text.
    pub label: &'static str,
    /// Beside the text.
    pub icon: Icon,
    /// Where it leads.
    pub url: String,
    /// How many things are there.
    pub count: Option<u64>,
    /// The page shown is this one or below it.
    pub is_current: bool,
}

impl NavLink {
    /// A link without a count.
    pub fn new(
        label: &'static str, picture: &str, url: impl Into<String>, is_current: bool,
    ) -> NavLink {
        NavLink {
            label,
            icon: icon(picture),
            url: url.into(),
            count: None,
            is_current,
        }
    }
}

impl Nav {
    /// The link that is the page shown or above it.
    pub fn current(&self) -> Option<&NavLink> {
        self.parts.iter().flat_map(|part| &part.links).find(|link| link.is_current)
    }
}
