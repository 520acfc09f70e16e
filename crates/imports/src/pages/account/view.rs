//! What the page shows.

use super::super::list::of_viewer;
use super::super::shown::secret_label;
use super::super::{PROGRESS, SOURCES, by_path};
use super::begun::Tried;
use super::form::Form;
use super::{AccountPage, Found};
use crate::offers::{MOST_PAGES, Offer, Provider};
use ::store::Tx;
use askama::Template;
use kernel::error::Result;
use kernel::html::form::Typed;
use kernel::html::ui::Choice;
use kernel::html::{Errors, Page, ui};
use spaces::imports::ImportStatus;
use spaces::store::places;
use std::collections::HashMap;

/// Imports of the viewer that repositories are compared with.
const COMPARED: usize = 500;
const STRATEGIES: &[(&str, &str)] = &[
    ("pessimistic", "The import fails"),
    ("optimistic", "It goes on with the next part"),
];

/// What the form of an account asks for.
#[derive(Debug)]
struct Asks {
    address: bool,
    address_hint: &'static str,
    username: bool,
    secret: &'static str,
    workspace: bool,
    members: bool,
    members_hint: &'static str,
    /// Parts that come only if they are wished.
    stages: bool,
}

impl Asks {
    fn of(provider: Provider) -> Asks {
        Asks {
            address: provider != Provider::BCloud,
            address_hint: match provider {
                Provider::A => "Of one of your own. Empty for the public server.",
                Provider::BServer | Provider::BCloud => "Such as https://code.example.",
            },
            username: provider != Provider::A,
            secret: secret_label(provider.source()),
            workspace: provider == Provider::BCloud,
            members: provider != Provider::BCloud,
            members_hint: match provider {
                Provider::A => "Who pushes there sees them.",
                Provider::BServer | Provider::BCloud => "Only administrators there see them.",
            },
            stages: provider == Provider::A,
        }
    }
}

fn about(provider: Provider) -> &'static str {
    match provider {
        Provider::A => {
            "The token has to read repositories, and their members if those are to come, too."
        }
        Provider::BServer => "The user has to read the repositories.",
        Provider::BCloud => {
            "An app password goes with a user name, an API token with an e-mail address."
        }
    }
}

/// What an account offers, on one page.
#[derive(Debug)]
struct Offered {
    rows: Vec<Row>,
    page: usize,
    has_more: bool,
    /// The account as the page carries it.
    connection: String,
}

/// A repository to choose.
#[derive(Debug)]
struct Row {
    of: Offer,
    /// How far it is where the viewer had it brought before, and the address of that.
    imported: Option<(ImportStatus, String)>,
}

#[derive(Template)]
#[template(path = "import_account.html")]
pub struct View {
    page: Page,
    url: String,
    sources_url: &'static str,
    about: &'static str,
    asks: Asks,
    form: Form,
    with_members: bool,
    offered: Option<Offered>,
    places: Vec<Choice>,
    strategies: Vec<Choice>,
    tried: Vec<Tried>,
    errors: Errors,
}

impl View {
    pub(super) fn of(
        tx: &mut Tx<'_>, at: &AccountPage, page: Page, typed: &Typed<Form>,
    ) -> Result<View> {
        let offered = match &at.found {
            Some(found) => Some(offered(tx, at, found)?),
            None => None,
        };
        let asks = Asks::of(at.provider);
        let form = typed.form.clone().unwrap_or_else(|| at.form.clone());
        Ok(View {
            page,
            url: format!("{SOURCES}/{}", at.provider),
            sources_url: SOURCES,
            about: about(at.provider),
            with_members: form.with_members(at.provider),
            places: by_path(&places::for_projects(tx, &at.viewer)?),
            strategies: Choice::list(STRATEGIES),
            tried: at.tried.clone(),
            errors: typed.errors.clone(),
            form,
            offered,
            asks,
        })
    }
}

fn offered(tx: &mut Tx<'_>, at: &AccountPage, found: &Found) -> Result<Offered> {
    // The newest come last, and count.
    let before = of_viewer(tx, &at.viewer, COMPARED)?.into_iter().rev();
    let before = before.filter(|(import, _)| {
        import.source == at.provider.source() && import.base_url == found.base
    });
    let before: HashMap<String, (ImportStatus, String)> = before
        .map(|(import, project)| {
            let url = format!("/{}/-/{PROGRESS}", project.full_path);
            (import.origin, (import.status, url))
        })
        .collect();
    let row = |of: &Offer| Row { of: of.clone(), imported: before.get(&of.name).cloned() };
    Ok(Offered {
        rows: found.offers.rows.iter().map(row).collect(),
        page: found.page,
        has_more: found.offers.has_more && found.page < MOST_PAGES,
        connection: found.connection.clone(),
    })
}
