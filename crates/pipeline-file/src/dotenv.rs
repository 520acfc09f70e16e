//! Reports of variables that a job hands on (contract 8.3).

use crate::variables::is_name;
use indexmap::IndexMap;

/// Bytes and variables of a report that may have any number.
const HIGHEST_BYTES: usize = 1 << 20;
const HIGHEST_VARIABLES: usize = 10_000;

/// How much one report may hold.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    pub bytes: usize,
    pub variables: usize,
}

impl Most {
    /// Of 0 there may be as many as a server can bear.
    pub fn new(bytes: i64, variables: i64) -> Most {
        let bound = |wanted: i64, highest: usize| match usize::try_from(wanted) {
            Ok(wanted) if wanted > 0 => wanted.min(highest),
            _ => highest,
        };
        Most {
            bytes: bound(bytes, HIGHEST_BYTES),
            variables: bound(variables, HIGHEST_VARIABLES),
        }
    }
}

/// The pairs of a report, of equal names the last; or why it is refused.
pub fn parse(text: &str, most: Most) -> Result<Vec<(String, String)>, String> {
    let Most { bytes, variables } = most;
    if text.len() > bytes {
        return Err(format!("Dotenv Artifact Too Big. Maximum Allowable Size: {bytes}"));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut pairs: IndexMap<String, String> = IndexMap::new();
    for line in text.lines() {
        let (name, value) = line.split_once('=').ok_or("Invalid Format")?;
        let (name, value) = (name.trim(), value.trim());
        if !is_name(name) {
            return Err("Invalid Format".into());
        }
        pairs.shift_remove(name);
        pairs.insert(name.to_owned(), value.to_owned());
        if pairs.len() > variables {
            return Err(format!("Dotenv files cannot have more than {variables} variables"));
        }
    }
    Ok(pairs.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::{HIGHEST_BYTES, HIGHEST_VARIABLES, Most};

    fn parse(text: &str) -> Result<Vec<(String, String)>, String> {
        super::parse(text, Most::new(5120, 20))
    }

    #[test]
    fn a_server_bears_so_much() {
        let most = Most::new(0, 0);
        assert_eq!((most.bytes, most.variables), (HIGHEST_BYTES, HIGHEST_VARIABLES));
        let most = Most::new(i64::MAX, 3);
        assert_eq!((most.bytes, most.variables), (HIGHEST_BYTES, 3));
    }

    #[test]
    fn lines_are_pairs() {
        let pairs = parse("\u{feff}A=1\n B = x=y \nQ=\"z\"\nA=2\r\n").unwrap();
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(pairs, [("B", "x=y"), ("Q", "\"z\""), ("A", "2")]);
        for wrong in ["A", "A=1\n\nB=2", "a b=1", "=1"] {
            assert_eq!(parse(wrong).unwrap_err(), "Invalid Format", "{wrong}");
        }
        let many: String = (0..21).map(|n| format!("A{n}=1\n")).collect();
        assert!(parse(&many).unwrap_err().contains("more than 20"));
        assert!(parse(&format!("A={}", "x".repeat(5200))).unwrap_err().contains("Too Big"));
    }
}
