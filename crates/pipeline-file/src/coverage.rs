//! The coverage a job wrote into its log (contract 14.2).

use crate::pattern;

/// The first number in the last match of the last line that has one.
pub fn of_log(log: &str, source: &str) -> Option<f64> {
    let regex = pattern::compile(source, "")?;
    let number = pattern::compile(r"\d+(\.\d+)?", "")?;
    let line = log.lines().rev().find(|line| regex.is_match(line))?;
    let last = regex.captures_iter(line).last()?;
    // What stands in parentheses, where there are some.
    let text = last.get(1).or_else(|| last.get(0))?.as_str();
    number.find(text)?.as_str().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::of_log;

    #[test]
    fn the_last_match_counts() {
        let log = "cov 10%\nall: cov 81.5% of 90 cov 82%\nend\n";
        assert_eq!(of_log(log, r"cov \d+\.?\d*%"), Some(82.0));
        assert_eq!(of_log(log, r"all: cov (\d+\.\d+)"), Some(81.5));
        assert_eq!(of_log(log, "nothing"), None);
        assert_eq!(of_log(log, "end"), None);
        assert_eq!(of_log(log, "("), None);
    }
}
