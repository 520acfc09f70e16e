//! Structural limits of JSON, checked on its bytes before it is parsed
//! (docs/interface/graphql.md 4).

/// Deepest nesting.
const MAX_DEPTH: usize = 32;
/// Most elements of one array, and most keys of one object.
const MAX_MEMBERS: usize = 50_000;
/// Most values in all.
const MAX_VALUES: usize = 100_000;
/// Most digits of one number.
const MAX_DIGITS: usize = 1_000;

/// Names the limit that the text passes, if any. What is not JSON at all is
/// left to the parser.
pub fn check(text: &[u8]) -> Result<(), &'static str> {
    // Commas seen in each open array or object, and whether it is an object.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let (mut values, mut digits) = (0usize, 0usize);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text {
        if quoted {
            match (escaped, byte) {
                (true, _) => escaped = false,
                (false, b'\\') => escaped = true,
                (false, b'"') => quoted = false,
                _ => {}
            }
            continue;
        }
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        if digits > MAX_DIGITS {
            return Err("JSON number has too many digits");
        }
        match byte {
            b'"' => quoted = true,
            b'[' | b'{' => {
                open.push((0, *byte == b'{'));
                values += 1;
            }
            b']' | b'}' => {
                open.pop();
            }
            b',' => {
                values += 1;
                if let Some((commas, is_object)) = open.last_mut() {
                    *commas += 1;
                    match (*commas >= MAX_MEMBERS, is_object) {
                        (true, true) => return Err("JSON object has too many keys"),
                        (true, false) => return Err("JSON array has too many elements"),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            return Err("JSON is nested too deep");
        }
        if values > MAX_VALUES {
            return Err("JSON has too many elements");
        }
    }
    Ok(())
}
