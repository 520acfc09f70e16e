//! Base scores of CVSS 3.0 and 3.1 (<https://www.first.org/cvss/v3-1/specification-document>, 7.1).

/// The base score of a vector; none where it is of another version, or not whole.
pub fn base_score(vector: &str) -> Option<f64> {
    let metrics = vector.strip_prefix("CVSS:3.1/").or_else(|| vector.strip_prefix("CVSS:3.0/"))?;
    let value = |name: &str| {
        let mut pairs = metrics.split('/').filter_map(|it| it.split_once(':'));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let changed = match value("S")? {
        "C" => true,
        "U" => false,
        _ => return None,
    };
    let impact = |name| match value(name)? {
        "H" => Some(0.56),
        "L" => Some(0.22),
        "N" => Some(0.0),
        _ => None,
    };
    let lost = 1.0 - (1.0 - impact("C")?) * (1.0 - impact("I")?) * (1.0 - impact("A")?);
    let impact = match changed {
        true => 7.52 * (lost - 0.029) - 3.25 * f64::powi(lost - 0.02, 15),
        false => 6.42 * lost,
    };
    let vector = match value("AV")? {
        "N" => 0.85,
        "A" => 0.62,
        "L" => 0.55,
        "P" => 0.2,
        _ => return None,
    };
    let complexity = match value("AC")? {
        "L" => 0.77,
        "H" => 0.44,
        _ => return None,
    };
    let privileges = match (value("PR")?, changed) {
        ("N", _) => 0.85,
        ("L", true) => 0.68,
        ("L", false) => 0.62,
        ("H", true) => 0.5,
        ("H", false) => 0.27,
        _ => return None,
    };
    let interaction = match value("UI")? {
        "N" => 0.85,
        "R" => 0.62,
        _ => return None,
    };
    let exploitability = 8.22 * vector * complexity * privileges * interaction;
    let sum = impact + exploitability;
    Some(match (impact <= 0.0, changed) {
        (true, _) => 0.0,
        (false, true) => round_up(f64::min(1.08 * sum, 10.0)),
        (false, false) => round_up(f64::min(sum, 10.0)),
    })
}

/// To one digit, upwards; by way of whole numbers, so that it is the same everywhere.
fn round_up(score: f64) -> f64 {
    let whole = (score * 100_000.0).round();
    match whole % 10_000.0 == 0.0 {
        true => whole / 100_000.0,
        false => ((whole / 10_000.0).floor() + 1.0) / 10.0,
    }
}
