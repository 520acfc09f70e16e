//! Stages that go from one issue or merge request that came to the next, and read what belongs
//! to it.

use super::reading;
use crate::ledger;
use crate::model::Kind;
use crate::run::{Import, Lost, Page, Trouble};
use crate::upstream::Failed;
use kernel::app::App;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Calls for one page: where little belongs to each, that of some comes together.
const CALLS: usize = 10;

/// How what belongs to one is read.
pub trait ByNumber: Sync {
    /// Where in that it goes on; the default is its beginning.
    type Place: Serialize + DeserializeOwned + Default + Send + Sync;

    /// What has the numbers.
    const OF: Kind;
    /// What belongs to them.
    const BRINGS: Kind;

    /// Adds as much to a page as fits; where the rest of what belongs to this one begins.
    fn some(
        &self, number: i64, from: &Self::Place, page: &mut Page,
    ) -> impl Future<Output = Result<Option<Self::Place>, Failed>> + Send;

    /// A failure in words for people.
    fn told(failed: &Failed) -> String;
}

#[derive(Serialize, Deserialize)]
struct Place<P> {
    number: i64,
    within: P,
}

/// A page of such a stage.
///
/// # Errors
///
/// Why there is none. What upstream refuses of one alone is lost, and no more.
pub async fn page<B: ByNumber>(
    of: &B, app: &App, import: &Import, cursor: Option<&str>,
) -> Result<Page, Trouble> {
    let mut place: Option<Place<B::Place>> = match cursor {
        Some(cursor) => Some(reading::place(cursor)?),
        None => after::<B>(app, import, 0).await?,
    };
    let mut page = Page::default();
    for _ in 0..CALLS {
        let Some(here) = place.take() else { break };
        let number = here.number;
        match of.some(number, &here.within, &mut page).await {
            Ok(Some(within)) => place = Some(Place { number, within }),
            Ok(None) => place = after::<B>(app, import, number).await?,
            Err(failed) if failed.is_of_one() => {
                let key = format!("{} {number}", B::OF);
                page.lost.push(Lost { kind: B::BRINGS, key, reason: B::told(&failed) });
                place = after::<B>(app, import, number).await?;
            }
            // What came before is not lost: this is asked again, first of the next page.
            Err(_) if !page.objects.is_empty() => {
                place = Some(here);
                break;
            }
            Err(failed) => return Err(reading::trouble(failed, B::told)),
        }
        // The next call brings half a page at most.
        if page.objects.len() >= Page::MOST / 2 {
            break;
        }
    }
    page.next = place.as_ref().map(reading::cursor).transpose()?;
    Ok(page)
}

/// The next one that came.
async fn after<B: ByNumber>(
    app: &App, import: &Import, number: i64,
) -> Result<Option<Place<B::Place>>, Trouble> {
    let (id, kind) = (import.id, B::OF);
    let found = app.read(move |tx| ledger::numbers_after(tx, id, kind, number, 1)).await?;
    let first = |number| Place { number, within: B::Place::default() };
    Ok(found.first().copied().map(first))
}
