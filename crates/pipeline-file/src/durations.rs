//! Spans of time as people write them: `1h 30min`, `2 weeks`, `3:20` (contract 7).

/// What is wrong with a text that is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDuration;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;
/// Beyond this nothing is waited for.
const LONGEST: f64 = 1e12;

/// Seconds of a duration; `0` and blank text are none.
pub fn parse(text: &str) -> Result<Option<u64>, NoDuration> {
    let text = text.trim().to_lowercase();
    if text.len() > 200 {
        return Err(NoDuration);
    }
    let seconds = match text.contains(':') {
        true => clock(&text)?,
        false => words(&tokens(&text)?)?,
    };
    let whole = seconds.round();
    if !(0.0..LONGEST).contains(&whole) {
        return Err(NoDuration);
    }
    // Checked above: not negative and far below the largest number.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = whole as u64;
    Ok((whole > 0).then_some(whole))
}

/// `3:20` is three minutes and twenty seconds.
fn clock(text: &str) -> Result<f64, NoDuration> {
    let parts: Vec<&str> = text.split(':').collect();
    if parts.len() > 6 {
        return Err(NoDuration);
    }
    let units = [1.0, MINUTE, HOUR, DAY, 30.0 * DAY, 365.25 * DAY];
    let mut seconds = 0.0;
    for (part, unit) in parts.iter().rev().zip(units) {
        seconds += number(part).ok_or(NoDuration)? * unit;
    }
    Ok(seconds)
}

/// Splits numbers from the letters that follow them; commas and blanks part words.
fn tokens(text: &str) -> Result<Vec<String>, NoDuration> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        let kind = match c {
            '0'..='9' | '.' => '0',
            'a'..='z' => 'a',
            ' ' | ',' | '\t' | '\n' => ' ',
            _ => return Err(NoDuration),
        };
        match (kind, words.last_mut()) {
            (' ', _) => (),
            (_, Some(word)) if kind == last => word.push(c),
            _ => words.push(c.to_string()),
        }
        last = kind;
    }
    Ok(words)
}

fn words(words: &[String]) -> Result<f64, NoDuration> {
    let mut seconds = 0.0;
    let mut waiting: Option<f64> = None;
    for word in words {
        if matches!(word.as_str(), "and" | "with" | "plus") {
            continue;
        }
        if let Some(count) = number(word) {
            seconds += waiting.replace(count).unwrap_or(0.0);
        } else {
            let unit = unit(word).ok_or(NoDuration)?;
            seconds += waiting.take().unwrap_or(1.0) * unit;
        }
    }
    Ok(seconds + waiting.unwrap_or(0.0))
}

fn number(word: &str) -> Option<f64> {
    const WORDS: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    if let Some(count) = WORDS.iter().position(|name| *name == word) {
        return u32::try_from(count).ok().map(f64::from);
    }
    let digits = word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    word.parse().ok().filter(|number: &f64| digits && number.is_finite())
}

fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "seconds" | "second" | "secs" | "sec" | "s" => 1.0,
        "minutes" | "minute" | "mins" | "min" | "m" => MINUTE,
        "hours" | "hour" | "hrs" | "hr" | "h" => HOUR,
        "days" | "day" | "dy" | "d" => DAY,
        "weeks" | "week" | "wks" | "wk" | "w" => 7.0 * DAY,
        "months" | "month" | "mos" | "mo" => 30.0 * DAY,
        "years" | "year" | "yrs" | "yr" | "y" => 365.25 * DAY,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, seconds) in [
            ("1h30", Some(3630)),
            ("1h 30m", Some(5400)),
            ("3:20", Some(200)),
            ("1:02:03", Some(3723)),
            ("one hour", Some(3600)),
            ("3 mins and 4 sec", Some(184)),
            ("1 day, 2 hrs", Some(93_600)),
            ("1 mo", Some(2_592_000)),
            ("1 year", Some(31_557_600)),
            ("42", Some(42)),
            ("day", Some(86_400)),
            ("1.5 hours", Some(5400)),
            ("0", None),
            ("", None),
        ] {
            assert_eq!(parse(text), Ok(seconds), "{text}");
        }
        for wrong in ["-1 hour", "soon", "1 fortnight", "1:x", "9999999999999999 years"] {
            assert_eq!(parse(wrong), Err(NoDuration), "{wrong}");
        }
    }
}
