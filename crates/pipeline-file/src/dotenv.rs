//! Reports of variables that a job hands on (contract 8.3).

use crate::variables::is_name;

/// Bytes and variables of one report.
pub const MOST_BYTES: usize = 5120;
pub const MOST_VARIABLES: usize = 20;

/// The pairs of a report, of equal names the last; or why it is refused.
pub fn parse(text: &str) -> Result<Vec<(String, String)>, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("Dotenv Artifact Too Big. Maximum Allowable Size: {MOST_BYTES}"));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let (name, value) = line.split_once('=').ok_or("Invalid Format")?;
        let (name, value) = (name.trim(), value.trim());
        if !is_name(name) {
            return Err("Invalid Format".into());
        }
        pairs.retain(|(known, _)| known != name);
        pairs.push((name.to_owned(), value.to_owned()));
        if pairs.len() > MOST_VARIABLES {
            return Err(format!("Dotenv files cannot have more than {MOST_VARIABLES} variables"));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

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
