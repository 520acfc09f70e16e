//! What the log of a job must not show: known when it is handed out, sealed with it, and
//! kept open in memory while its log grows.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::secrets::Secrets;
use moka::sync::Cache;
use std::sync::Arc;
use std::time::Duration;

/// What stands in the place of a masked value; the rest of its length is stars, so that
/// runner and server count the same bytes.
const MASK: &[u8] = b"[MASKED]";
/// Bytes of all that a server keeps open.
const MOST_KEPT: u64 = 32 * 1024 * 1024;
/// How long what nobody asks for is kept.
const IDLE: Duration = Duration::from_secs(600);

/// Some values that are found together, in one look at a text.
#[derive(Debug, Default)]
pub struct Masks {
    values: Option<AhoCorasick>,
    /// Bytes of the longest one.
    pub longest: usize,
}

/// Those of jobs by what they are sealed as.
struct Opened(Cache<(i64, String), Arc<Masks>>);

impl Default for Opened {
    fn default() -> Opened {
        let weigh =
            |_: &(i64, String), masks: &Arc<Masks>| u32::try_from(masks.size()).unwrap_or(u32::MAX);
        let cache = Cache::builder()
            .weigher(weigh)
            .max_capacity(MOST_KEPT)
            .time_to_idle(IDLE)
            .build();
        Opened(cache)
    }
}

impl Masks {
    /// Values shorter than the mask are not looked for.
    pub fn new(values: &[String]) -> Result<Masks> {
        let values: Vec<&[u8]> = values
            .iter()
            .map(String::as_bytes)
            .filter(|it| it.len() >= MASK.len())
            .collect();
        let Some(longest) = values.iter().map(|it| it.len()).max() else {
            return Ok(Masks::default());
        };
        // The larger automaton of many long values would take megabytes.
        let built = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(values);
        Ok(Masks { values: Some(built.map_err(Error::internal)?), longest })
    }

    /// Those of a job.
    pub fn of_job(app: &App, id: i64, sealed: Option<&str>) -> Result<Arc<Masks>> {
        let Some(sealed) = sealed else {
            return Ok(Arc::default());
        };
        let opened = app.kept::<Opened>();
        let key = (id, sealed.to_owned());
        if let Some(known) = opened.0.get(&key) {
            return Ok(known);
        }
        let masks = Arc::new(Masks::new(&open(app.secrets(), id, sealed)?)?);
        opened.0.insert(key, masks.clone());
        Ok(masks)
    }

    fn size(&self) -> usize {
        self.values.as_ref().map_or(0, AhoCorasick::memory_usage) + 1_024
    }

    /// A text with every value blacked out; none where it has no value.
    pub fn masked(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let values = self.values.as_ref()?;
        values.find(bytes).map(|_| {
            let mut all = bytes.to_vec();
            self.apply(&mut all);
            all
        })
    }

    /// Blacks out every value.
    pub fn apply(&self, bytes: &mut [u8]) {
        for (from, to) in self.found(bytes) {
            let place = &mut bytes[from..to];
            place.fill(b'*');
            place[..MASK.len()].copy_from_slice(MASK);
        }
    }

    /// Whether a value begins before a place and ends after it.
    pub fn crosses(&self, bytes: &[u8], place: usize) -> bool {
        self.found(bytes).iter().any(|(from, to)| *from < place && *to > place)
    }

    fn found(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let values = self.values.iter();
        values
            .flat_map(|it| it.find_iter(bytes))
            .map(|it| (it.start(), it.end()))
            .collect()
    }
}

fn context(id: i64) -> String {
    format!("ci_jobs.sealed_masks:{id}")
}

/// What is stored of the values of a job.
pub fn seal(secrets: &Secrets, id: i64, values: &[String]) -> Result<Option<String>> {
    if values.is_empty() {
        return Ok(None);
    }
    let text = serde_json::to_vec(values).map_err(Error::internal)?;
    Ok(Some(secrets.seal(&context(id), &text)))
}

fn open(secrets: &Secrets, id: i64, sealed: &str) -> Result<Vec<String>> {
    let text = secrets.unseal(&context(id), sealed)?;
    serde_json::from_slice(&text).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_masked_in_their_length() {
        let masks = Masks::new(&["supersecret-longer", "supersecret", "short"].map(str::to_owned));
        let masks = masks.unwrap();
        for (text, wanted) in [
            ("a supersecret b", "a [MASKED]*** b"),
            ("supersecret-longer", "[MASKED]**********"),
            ("supersecretsupersecret", "[MASKED]***[MASKED]***"),
            ("supersecre short", "supersecre short"),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            masks.apply(&mut bytes);
            assert_eq!(String::from_utf8(bytes).unwrap(), wanted);
        }
        assert_eq!(masks.masked(b"supersecre"), None);
        let none = Masks::new(&["short".to_owned()]).unwrap();
        assert_eq!((none.longest, none.masked(b"short")), (0, None));
    }

    #[test]
    fn a_value_crosses_the_place_that_stands_within_it() {
        let masks = Masks::new(&["supersecret".to_owned()]).unwrap();
        let crosses = |place| masks.crosses(b"a supersecret b", place);
        assert_eq!([1, 2, 3, 12, 13, 14].map(crosses), [false, false, true, true, false, false]);
    }
}
