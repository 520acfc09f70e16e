//! Files that texts name and that lie with releases: they are fetched ([`fetch`]), become
//! uploads, and texts ([`texts`]) and links lead to these from then on. What cannot be fetched
//! stays where it was, and is told of.

mod fetch;
mod files;
mod places;
mod texts;

pub use files::Files;

use crate::ledger;
use crate::model::Kind;
use crate::run::{Import, Lost, Page, Trouble};
use crate::store as imports;
use fetch::{Fetched, fetch};
use kernel::app::App;
use kernel::error::Result;
use kernel::secrets::digest;
use kernel::time::Timestamp;
use places::{Cursor, Place, Thing};
use releases::model::Link;
use spaces::model::SourceKind;
use spaces::uploads::model::Upload;
use spaces::uploads::{self, Sent, Which};
use std::collections::HashMap;
use store::Tx;
use texts::Instead;

/// Things that are looked at for one page, and files that come with one, about.
const RECORDS: i64 = 100;
const MOST_FILES: i64 = 20;
/// Files of one text.
const MOST_OF_TEXT: usize = 100;
/// Letters of an address that is told of.
const LONGEST: usize = 500;

/// Fetches some files, of what came behind the cursor.
pub async fn page(
    app: &App, import: &Import, files: &Files, cursor: Option<&str>,
) -> Result<Page, Trouble> {
    let Cursor { place, after } = Cursor::read(cursor);
    let (id, with_texts) = (import.id, files.texts);
    let (records, things) = app
        .read(move |tx| {
            let records = ledger::records_after(tx, id, place.kind(), after, RECORDS)?;
            let ids: Vec<i64> = records.iter().map(|record| record.local_id).collect();
            Ok((records, place.things(tx, &ids, with_texts)?))
        })
        .await?;
    let Some(last) = records.last().map(|record| record.id) else {
        let next = place.next().filter(|_| with_texts);
        return Ok(Page {
            next: next.map(|place| Cursor { place, after: 0 }.text()),
            ..Page::default()
        });
    };
    let mut work = Work { app, import, files, place, came: 0, lost: Vec::new() };
    let mut done = after;
    for record in &records {
        if let Some(thing) = things.get(&record.local_id)
            && let Some(until) = work.bring(record.local_id, thing).await?
        {
            return match done == after {
                true => Err(Trouble::Wait(until)),
                false => Ok(work.page(done)),
            };
        }
        done = record.id;
        if work.came >= MOST_FILES {
            return Ok(work.page(done));
        }
    }
    Ok(work.page(last))
}

/// A page in the making.
struct Work<'w> {
    app: &'w App,
    import: &'w Import,
    files: &'w Files,
    place: Place,
    came: i64,
    lost: Vec<Lost>,
}

/// When the server wants to be asked again, if it does not answer now.
type Later = Option<Timestamp>;

impl Work<'_> {
    fn page(self, after: i64) -> Page {
        Page {
            lost: self.lost,
            brought: vec![(Kind::NoteAttachment, self.came)],
            next: Some(Cursor { place: self.place, after }.text()),
            ..Page::default()
        }
    }

    /// Brings the files of one thing.
    async fn bring(&mut self, id: i64, thing: &Thing) -> Result<Later, Trouble> {
        let files = self.files;
        for link in thing.links.iter().filter(|link| files.is_asset(&link.url)) {
            if let Some(until) = self.asset(link).await? {
                return Ok(Some(until));
            }
        }
        self.text(id, thing.text.as_deref().unwrap_or_default()).await
    }

    /// A file, unless it is lost, or is to be asked for later.
    async fn fetched(
        &mut self, written: &str, name: Option<&str>,
    ) -> Result<std::result::Result<Option<Sent>, Timestamp>> {
        let Some(url) = files::parsed(written) else {
            return Ok(Ok(None));
        };
        match fetch(self.app, self.files, &url, name).await? {
            Fetched::Here(sent) => Ok(Ok(Some(sent))),
            Fetched::Later(until) => Ok(Err(until)),
            Fetched::Lost(reason) => {
                let key: String = written.chars().take(LONGEST).collect();
                self.lost.push(Lost { kind: Kind::NoteAttachment, key, reason });
                Ok(Ok(None))
            }
        }
    }

    /// A file beside a release, which its link leads to from then on.
    async fn asset(&mut self, link: &Link) -> Result<Later, Trouble> {
        let sent = match self.fetched(&link.url, Some(&link.name)).await? {
            Ok(Some(sent)) => sent,
            Ok(None) => return Ok(None),
            Err(until) => return Ok(Some(until)),
        };
        let (id, owner, base) = (link.id, Owner::of(self.import), self.app.base_url().to_owned());
        let put = move |tx: &mut Tx<'_>| {
            if !owner.is_waited_for(tx)? {
                return Ok(());
            }
            let upload = owner.keep(tx, &sent)?;
            let url = format!("{base}{}", upload.full_path());
            releases::store::links::set_url(tx, id, &url)
        };
        self.app.write(put).await?;
        self.came += 1;
        Ok(None)
    }

    /// The files of a text, which names them where they are here from then on.
    async fn text(&mut self, id: i64, text: &str) -> Result<Later, Trouble> {
        let files = self.files;
        let is_file = |address: &str| files.is_file(address);
        let wanted: Vec<String> = texts::addresses(text, MOST_OF_TEXT, is_file)
            .into_iter()
            .map(str::to_owned)
            .collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let owner = Owner::of(self.import);
        let asked = wanted.clone();
        let known = self.app.read(move |tx| owner.known(tx, &asked)).await?;
        let (mut came, mut later) = (Vec::new(), None);
        for address in wanted.into_iter().filter(|address| !known.contains_key(address)) {
            match self.fetched(&address, None).await? {
                Ok(sent) => came.extend(sent.map(|sent| (address, sent))),
                Err(until) => {
                    later = Some(until);
                    break;
                }
            }
        }
        if came.is_empty() && known.is_empty() {
            return Ok(later);
        }
        let count = i64::try_from(came.len()).unwrap_or_default();
        let place = self.place;
        let put = move |tx: &mut Tx<'_>| rewrite(tx, owner, (place, id), &known, &came);
        self.app.write(put).await?;
        self.came += count;
        Ok(later)
    }
}

/// Has a text name files where they are here.
fn rewrite(
    tx: &mut Tx<'_>, owner: Owner, (place, id): (Place, i64), known: &HashMap<String, Upload>,
    came: &[(String, Sent)],
) -> Result<()> {
    if !owner.is_waited_for(tx)? {
        return Ok(());
    }
    let shown = |upload: &Upload| Instead { target: upload.url(), markdown: upload.markdown() };
    let mut instead: HashMap<String, Instead> =
        known.iter().map(|(address, upload)| (address.clone(), shown(upload))).collect();
    for (address, sent) in came {
        let upload = owner.keep(tx, sent)?;
        ledger::note(tx, owner.import, Kind::NoteAttachment, &key(address), upload.id)?;
        instead.insert(address.clone(), shown(&upload));
    }
    // It may have changed meanwhile.
    match place.text(tx, id)? {
        Some(text) if !instead.is_empty() => {
            place.set_text(tx, id, &texts::replaced(&text, &instead))
        }
        _ => Ok(()),
    }
}

/// What an address is known by: it may be long.
fn key(address: &str) -> String {
    hex::encode(digest(address))
}

/// Whose uploads they become.
#[derive(Debug, Clone, Copy)]
struct Owner {
    import: i64,
    project: i64,
    user: i64,
}

impl Owner {
    fn of(import: &Import) -> Owner {
        Owner {
            import: import.id,
            project: import.project_id,
            user: import.user_id,
        }
    }

    /// Whether the import was not given up meanwhile.
    fn is_waited_for(self, tx: &mut Tx<'_>) -> Result<bool> {
        Ok(imports::find(tx, self.import)?.is_some_and(|import| import.is_open()))
    }

    fn keep(self, tx: &mut Tx<'_>, sent: &Sent) -> Result<Upload> {
        let place = (SourceKind::Project, self.project);
        uploads::keep(tx, place, &sent.name, &sent.stored, Some(self.user))
    }

    /// Those of some addresses that were fetched before and are there still.
    fn known(self, tx: &mut Tx<'_>, addresses: &[String]) -> Result<HashMap<String, Upload>> {
        let keys: Vec<String> = addresses.iter().map(|address| key(address)).collect();
        let noted = ledger::known(tx, self.import, Kind::NoteAttachment, &keys)?;
        let mut known = HashMap::new();
        for (address, key) in addresses.iter().zip(&keys) {
            let Some(id) = noted.get(key) else {
                continue;
            };
            let found = uploads::find(tx, (SourceKind::Project, self.project), &Which::Id(*id))?;
            known.extend(found.map(|upload| (address.clone(), upload)));
        }
        Ok(known)
    }
}
