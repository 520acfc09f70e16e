//! Plain scalars by the rules of YAML 1.1 as Ruby reads them.

use super::Value;

/// What a scalar without quotes means; an error names the type nobody may use.
pub(super) fn resolve(text: &str) -> Result<Value, &'static str> {
    if let Some(value) = word(text) {
        return Ok(value);
    }
    match text.bytes().next() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number_or_time(text),
        _ => Ok(Value::Text(text.to_owned())),
    }
}

fn word(text: &str) -> Option<Value> {
    if text.len() > 5 {
        return None;
    }
    match text.to_ascii_lowercase().as_str() {
        "" | "~" | "null" => Some(Value::Null),
        "yes" | "true" | "on" => Some(Value::Bool(true)),
        "no" | "false" | "off" => Some(Value::Bool(false)),
        ".inf" | "+.inf" => Some(Value::Float(f64::INFINITY)),
        "-.inf" => Some(Value::Float(f64::NEG_INFINITY)),
        ".nan" => Some(Value::Float(f64::NAN)),
        _ => None,
    }
}

fn number_or_time(text: &str) -> Result<Value, &'static str> {
    if is_date(text) {
        return Err("Date");
    }
    if is_time(text) {
        return Err("Time");
    }
    let value = integer(text).map(Value::Int).or_else(|| float(text).map(Value::Float));
    Ok(value.or_else(|| sixties(text)).unwrap_or_else(|| Value::Text(text.to_owned())))
}

fn split_sign(text: &str) -> (i64, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// `012` is ten, `0x1f`, `0b11`, and `1_000` or `1,000` in tens.
fn integer(text: &str) -> Option<i64> {
    let (sign, rest) = split_sign(text);
    let (digits, base) = match rest.as_bytes() {
        [b'0', b'x' | b'X', ..] => (rest.get(2..)?, 16),
        [b'0', b'b' | b'B', ..] => (rest.get(2..)?, 2),
        [b'0', _, ..] => (rest.get(1..)?, 8),
        [b'0'..=b'9', ..] => (rest, 10),
        _ => return None,
    };
    let digits: String = digits.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    if !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    i64::from_str_radix(&digits, base).ok()?.checked_mul(sign)
}

fn float(text: &str) -> Option<f64> {
    let (_, rest) = split_sign(text);
    let digits = rest.bytes().take_while(|b| matches!(b, b'0'..=b'9' | b'_' | b',')).count();
    let after = rest.get(digits..)?;
    let exponent = after.starts_with(['e', 'E']) && digits > 0;
    if !after.starts_with('.') && !exponent || rest.starts_with(['_', ',']) || rest == "." {
        return None;
    }
    let plain: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

/// `1:30` and `1:02:03`: Ruby counts from the hours on, so the first is 5,400.
fn sixties(text: &str) -> Option<Value> {
    let (sign, rest) = split_sign(text);
    let parts: Vec<&str> = rest.split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    let mut total: i64 = 0;
    for (part, unit) in parts.iter().zip([3600_i64, 60, 1]) {
        let digits = part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty();
        let number = part.parse::<i64>().ok().filter(|_| digits)?;
        if unit < 3600 && number > 59 {
            return None;
        }
        total = number.checked_mul(unit)?.checked_add(total)?;
    }
    Some(Value::Int(sign * total))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    year.len() == 4 && digits(year, 4) && digits(month, 2) && digits(day, 2)
}

fn digits(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else {
        return false;
    };
    let hours = time.trim_start().split(':').next().unwrap_or_default();
    is_date(date) && time.matches(':').count() >= 2 && digits(hours, 2)
}

/// A number with a point as Ruby writes it: `1.0`, `1.5`, `1.0e+20`.
pub(crate) fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "Infinity".into()
        } else {
            "-Infinity".into()
        };
    }
    let size = number.abs();
    if number == 0.0 || (1e-4..1e16).contains(&size) {
        return format!("{number:?}");
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    let (sign, power) = match exponent.strip_prefix('-') {
        Some(power) => ('-', power),
        None => ('+', exponent),
    };
    format!("{digits}{point}e{sign}{power:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_mean_what_ruby_makes_of_them() {
        for (text, value) in [
            ("on", Value::Bool(true)),
            ("NO", Value::Bool(false)),
            ("y", Value::Text("y".into())),
            ("~", Value::Null),
            ("012", Value::Int(10)),
            ("089", Value::Text("089".into())),
            ("0x1F", Value::Int(31)),
            ("1_000", Value::Int(1000)),
            ("-3", Value::Int(-3)),
            ("1.10", Value::Float(1.1)),
            ("1.2.3", Value::Text("1.2.3".into())),
            ("1:30", Value::Int(5400)),
            ("3.", Value::Float(3.0)),
            ("1e3", Value::Float(1000.0)),
            ("-", Value::Text("-".into())),
            (".", Value::Text(".".into())),
            ("99999999999999999999", Value::Text("99999999999999999999".into())),
        ] {
            assert_eq!(resolve(text), Ok(value), "{text}");
        }
        assert_eq!(resolve("2024-01-31"), Err("Date"));
        assert_eq!(resolve("2024-01-31 10:00:00"), Err("Time"));
        assert_eq!(float_text(1.1), "1.1");
        assert_eq!(float_text(3.0), "3.0");
        assert_eq!(float_text(1e20), "1.0e+20");
    }
}
