//! Links for what texts name, as far as their reader may see it: what is
//! hidden stays text, as what is not there does.

mod place;

pub use place::{TextPlace, project_path};

use crate::access::Parent;
use crate::access::switches::instance_has_epics;
use crate::formats::addresses::addresses;
use crate::formats::references::{self, Name};
use crate::hooks;
use crate::model::Milestone;
use crate::requests;
use crate::store::references::{self as rows, Numbered, Person};
use crate::store::{labels, milestones};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::fold;
use kernel::markup::{Link, RecentTexts, Rendering, version};
use kernel::own_address::OwnAddress;
use std::collections::{HashMap, HashSet};
use store::Tx;
use url::form_urlencoded::byte_serialize;

/// Most different names that are looked up at once; later ones stay text.
const MOST: usize = 200;

#[derive(Debug, Clone)]
struct Target {
    /// Shown instead of the name, if something else is.
    text: Option<String>,
    url: String,
    title: String,
}

impl Target {
    fn new(url: String, title: &str) -> Target {
        Target { text: None, url, title: title.to_owned() }
    }

    fn shown_as(text: String, url: String) -> Target {
        Target { text: Some(text), url, title: String::new() }
    }
}

/// How many levels the headings of texts stand below those they are written as:
/// a page has a title, and its parts have headings.
const LOWERED: u8 = 2;

#[derive(Debug, Default)]
pub struct Links {
    found: HashMap<Name, Target>,
    /// Tells what was found from what else could be.
    told: String,
    /// What addresses of the instance begin with.
    own: String,
    /// The folded path of the project or group that texts are about.
    here: String,
    /// What stands before the addresses of uploads.
    uploads: String,
    /// Texts that are not rendered again.
    recent: Option<RecentTexts>,
}

/// One of several texts on a page.
#[derive(Debug, Default, Clone, Copy)]
pub struct TextOptions<'s> {
    /// Tells its ids from those of others.
    pub id: &'s str,
    /// The form that its boxes belong to; empty where nobody may tick them.
    pub tasks: &'s str,
}

impl Links {
    /// Looks up what texts about a project or group name, or such as are about none.
    /// Addresses begin with `base`: nothing, or the instance's own address.
    pub fn find<'t, 'p>(
        tx: &mut Tx<'_>, viewer: &Viewer, base: &str, place: impl Into<TextPlace<'p>>,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<Links> {
        let place = place.into();
        let own = own_address(tx)?;
        let names = names(texts, own);
        let words = Words::of(&names);
        let mut finder = Finder { base, place, names, found: HashMap::new() };
        finder.issues(tx, viewer)?;
        finder.requests(tx, viewer)?;
        finder.epics(tx, viewer)?;
        finder.alerts(tx, viewer)?;
        finder.people(tx, viewer, words.people)?;
        if let Some(parent) = place.parent() {
            finder.labels(tx, &parent, words.labels)?;
            finder.milestones(tx, &parent, words.milestones)?;
        }
        let (uploads, here) = (place.uploads(base), place.path());
        let recent = Some(tx.plugged::<RecentTexts>()?.clone());
        Ok(Links {
            told: told(&finder.found, &here),
            found: finder.found,
            own: own.to_owned(),
            here,
            uploads,
            recent,
        })
    }

    /// A text as a part of a page.
    pub fn render(&self, markdown: &str) -> String {
        self.shown(markdown, TextOptions::default())
    }

    /// One of several texts of a page.
    pub fn shown(&self, markdown: &str, shown: TextOptions<'_>) -> String {
        let (Links { told, uploads, .. }, TextOptions { id, tasks }) = (self, shown);
        let find = |text: &str| self.of(text);
        let how = Rendering {
            find: &find,
            lowered: LOWERED,
            id,
            uploads,
            tasks,
            ..Rendering::default()
        };
        match &self.recent {
            Some(recent) => recent
                .html(&[markdown, id, tasks, uploads, told], || how.html(markdown))
                .to_string(),
            None => how.html(markdown),
        }
    }

    /// A text as a part of a page; one that is too long is refused.
    pub fn previewed(&self, markdown: &str) -> Result<String> {
        let find = |text: &str| self.of(text);
        let lowered = LOWERED;
        let uploads = self.uploads.as_str();
        Rendering { find: &find, lowered, uploads, ..Rendering::default() }.checked(markdown)
    }

    /// A text by itself; one that is too long is refused.
    pub fn checked(&self, markdown: &str) -> Result<String> {
        let find = |text: &str| self.of(text);
        let uploads = self.uploads.as_str();
        Rendering { find: &find, uploads, ..Rendering::default() }.checked(markdown)
    }

    /// The links of a piece of text, which may be an address as a whole.
    pub fn of(&self, text: &str) -> Vec<Link> {
        if self.found.is_empty() {
            return Vec::new();
        }
        if let Some(link) = self.address(text) {
            return vec![link];
        }
        let link = |one: references::Reference| {
            let target = self.found.get(&one.name)?;
            let written = &text[one.range.clone()];
            Some(Link {
                text: target.text.clone().unwrap_or_else(|| written.to_owned()),
                url: target.url.clone(),
                title: target.title.clone(),
                range: one.range,
            })
        };
        references::find(text).into_iter().filter_map(link).collect()
    }

    /// What stands in the place of an address that leads to something known.
    fn address(&self, text: &str) -> Option<Link> {
        let one = addresses(text, &self.own).into_iter().next()?;
        let target = self.found.get(&one.name).filter(|_| one.range == (0..text.len()))?;
        let (sign, path, iid) = match &one.name {
            Name::Issue(path, iid) => ("#", path, iid),
            Name::MergeRequest(path, iid) => ("!", path, iid),
            Name::Epic(path, iid) => ("&", path, iid),
            _ => return None,
        };
        let path = path.as_deref().filter(|path| fold(path) != self.here).unwrap_or_default();
        Some(Link {
            text: format!("{path}{sign}{iid}{}", one.part),
            url: text.to_owned(),
            title: target.title.clone(),
            range: one.range,
        })
    }
}

/// What addresses of the instance begin with, in texts.
pub fn own_address<'c>(tx: &Tx<'c>) -> Result<&'c str> {
    Ok(tx.plugged::<OwnAddress>()?.get())
}

/// What tells such links from any others, whatever order they were found in; `here` is
/// what texts are about.
fn told(found: &HashMap<Name, Target>, here: &str) -> String {
    if found.is_empty() {
        return String::new();
    }
    let mut all: Vec<String> = found.iter().map(|one| format!("{one:?}")).collect();
    all.sort();
    all.push(here.to_owned());
    version(&all.join("\n"))
}

/// The different names in some texts, as many as are looked up.
fn names<'t>(texts: impl IntoIterator<Item = &'t str>, own: &str) -> Vec<Name> {
    let mut seen = HashSet::new();
    texts
        .into_iter()
        .flat_map(|text| references::find_with(text, own))
        .map(|one| one.name)
        .filter(|name| seen.insert(name.clone()))
        .take(MOST)
        .collect()
}

struct Finder<'f> {
    base: &'f str,
    place: TextPlace<'f>,
    names: Vec<Name>,
    found: HashMap<Name, Target>,
}

impl Finder<'_> {
    /// The folded path of the project that an issue's name means.
    fn path(&self, path: Option<&str>) -> Option<String> {
        match (path, self.place) {
            (None, TextPlace::Project(project)) => Some(fold(&project.full_path)),
            (None, _) => None,
            (Some(path), _) if path.contains('/') => Some(fold(path)),
            // A project beside this one, or of this group.
            (Some(path), place) => Some(fold(&format!("{}/{path}", place.group()?))),
        }
    }

    /// The same of the group that an epic's name means.
    fn group_path(&self, path: Option<&str>) -> Option<String> {
        match path {
            None => self.place.group().map(|path| fold(&path)),
            Some(path) => Some(fold(path)),
        }
    }

    fn issues(&mut self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<()> {
        let wanted = self.numbered(|name| match name {
            Name::Issue(path, iid) => Some((path.as_deref(), *iid)),
            _ => None,
        });
        let known = wanted.look_up(|paths, iids| rows::issues(tx, viewer, paths, iids))?;
        self.lead_on(wanted, &known, |iid| format!("issues/{iid}"));
        Ok(())
    }

    fn requests(&mut self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<()> {
        let wanted = self.numbered(|name| match name {
            Name::MergeRequest(path, iid) => Some((path.as_deref(), *iid)),
            _ => None,
        });
        let known = wanted.look_up(|paths, iids| {
            let found = requests::named(tx, viewer, paths, iids)?;
            Ok(found.into_iter().map(Numbered::from).collect())
        })?;
        self.lead_on(wanted, &known, |iid| format!("merge_requests/{iid}"));
        Ok(())
    }

    fn epics(&mut self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<()> {
        let wanted = self.names.iter().filter_map(|name| match name {
            Name::Epic(path, iid) => Some((name.clone(), self.group_path(path.as_deref())?, *iid)),
            _ => None,
        });
        let wanted = Numbers(wanted.collect());
        if wanted.0.is_empty() || !instance_has_epics(tx)? {
            return Ok(());
        }
        let known = wanted.look_up(|paths, iids| rows::epics(tx, viewer, paths, iids))?;
        self.lead_on(wanted, &known, |iid| format!("epics/{iid}"));
        Ok(())
    }

    fn alerts(&mut self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<()> {
        let wanted = self.numbered(|name| match name {
            Name::Alert(path, iid) => Some((path.as_deref(), *iid)),
            _ => None,
        });
        let known = wanted.look_up(|paths, iids| hooks::named_alerts(tx, viewer, paths, iids))?;
        self.lead_on(wanted, &known, |iid| format!("alert_management/{iid}/details"));
        Ok(())
    }

    /// What is named by a number in a project that is known by its path.
    fn numbered(&self, place: fn(&Name) -> Option<(Option<&str>, i64)>) -> Numbers {
        let known = self.names.iter().filter_map(|name| {
            let (path, iid) = place(name)?;
            Some((name.clone(), self.path(path)?, iid))
        });
        Numbers(known.collect())
    }

    fn lead_on(&mut self, wanted: Numbers, known: &[Numbered], page: fn(i64) -> String) {
        for (name, path, iid) in wanted.0 {
            let is_it = |one: &&Numbered| one.iid == iid && one.full_path_folded == path;
            if let Some(one) = known.iter().find(is_it) {
                let url = format!("{}/{}/-/{}", self.base, one.full_path, page(iid));
                self.found.insert(name, Target::new(url, &one.title));
            }
        }
    }

    fn people(&mut self, tx: &mut Tx<'_>, viewer: &Viewer, paths: Vec<String>) -> Result<()> {
        let base = self.base;
        self.lead_words_on(
            paths,
            Name::Person,
            |paths| people_of(tx, viewer, paths),
            |known, path| {
                let folded = fold(path);
                let one = known.iter().find(|one| one.folded == folded)?;
                Some(Target::new(format!("{base}/{}", one.path), &one.name))
            },
        )
    }

    fn labels(&mut self, tx: &mut Tx<'_>, parent: &Parent, words: Vec<String>) -> Result<()> {
        let list = format!("{}/{}/-/issues", self.base, parent.path());
        self.lead_words_on(
            words,
            Name::Label,
            |words| labels::ids_of(tx, parent, words, &numbers(words)),
            |known, word| {
                let id = word.parse().ok();
                let of_id = known.iter().find(|(known, _)| Some(*known) == id);
                let (_, title) = of_id.or_else(|| known.iter().find(|one| one.1 == word))?;
                let encoded: String = byte_serialize(title.as_bytes()).collect();
                Some(Target::shown_as(title.clone(), format!("{list}?labels={encoded}")))
            },
        )
    }

    fn milestones(&mut self, tx: &mut Tx<'_>, parent: &Parent, words: Vec<String>) -> Result<()> {
        let base = self.base;
        let target = |known: &[Milestone], word: &str| {
            let iid = word.parse().ok();
            let own = |one: &&Milestone| one.project_id.is_some() && Some(one.iid) == iid;
            let titled = || known.iter().find(|one| one.title == word);
            let goal = known.iter().find(own).or_else(titled)?;
            let url = format!("{base}{}", goal.path());
            Some(Target::shown_as(format!("%{}", goal.title), url))
        };
        let known = |words: &[String]| milestones::named(tx, parent, words, &numbers(words));
        self.lead_words_on(words, Name::Milestone, known, target)
    }

    /// Looks up all words of one kind at once, unless there are none, and keeps what
    /// each of them leads to.
    fn lead_words_on<K>(
        &mut self, words: Vec<String>, name: fn(String) -> Name,
        look_up: impl FnOnce(&[String]) -> Result<Vec<K>>,
        target: impl Fn(&[K], &str) -> Option<Target>,
    ) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let known = look_up(&words)?;
        for word in words {
            if let Some(target) = target(&known, &word) {
                self.found.insert(name(word), target);
            }
        }
        Ok(())
    }
}

/// Users and groups of these paths that the viewer may know of.
fn people_of(tx: &mut Tx<'_>, viewer: &Viewer, paths: &[String]) -> Result<Vec<Person>> {
    let folded: Vec<String> = paths.iter().map(|path| fold(path)).collect();
    let mut known = rows::groups(tx, viewer, &folded)?;
    // Who has an account is for those who have one.
    if viewer.user_id().is_some() {
        known.extend(rows::users(tx, &folded)?);
    }
    Ok(known)
}

/// The words among some names, by what they name.
#[derive(Default)]
struct Words {
    people: Vec<String>,
    labels: Vec<String>,
    milestones: Vec<String>,
}

impl Words {
    fn of(names: &[Name]) -> Words {
        let mut words = Words::default();
        for name in names {
            match name {
                Name::Person(path) => words.people.push(path.clone()),
                Name::Label(title) => words.labels.push(title.clone()),
                Name::Milestone(title) => words.milestones.push(title.clone()),
                Name::Issue(..) | Name::MergeRequest(..) | Name::Epic(..) | Name::Alert(..) => {}
            }
        }
        words
    }
}

/// Names with the folded path and the number that they mean.
struct Numbers(Vec<(Name, String, i64)>);

impl Numbers {
    /// Asks for them, unless there are none.
    fn look_up(
        &self, ask: impl FnOnce(&[String], &[i64]) -> Result<Vec<Numbered>>,
    ) -> Result<Vec<Numbered>> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<String> = self.0.iter().map(|one| one.1.clone()).collect();
        let iids: Vec<i64> = self.0.iter().map(|one| one.2).collect();
        ask(&paths, &iids)
    }
}

fn numbers(words: &[String]) -> Vec<i64> {
    words.iter().filter_map(|word| word.parse().ok()).collect()
}
