//! Colours of terminals (ECMA-48): what they ask for become names of classes, all else
//! that terminals do is left out.

/// How text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    bold: bool,
    dim: bool,
    italic: bool,
    underlined: bool,
    struck: bool,
    /// 0 to 15.
    front: Option<u8>,
    back: Option<u8>,
}

impl Style {
    /// Names of classes, with spaces between them.
    pub fn classes(&self) -> String {
        let flags = [
            (self.bold, "a-b"),
            (self.dim, "a-d"),
            (self.italic, "a-i"),
            (self.underlined, "a-u"),
            (self.struck, "a-s"),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| (*name).to_owned());
        let front = self.front.map(|color| format!("a-f{color}"));
        let back = self.back.map(|color| format!("a-g{color}"));
        flags.chain(front).chain(back).collect::<Vec<_>>().join(" ")
    }

    /// Does what the numbers of a sequence ask for.
    fn apply(&mut self, numbers: &[u16]) {
        let mut at = 0;
        while let Some(number) = numbers.get(at) {
            at += 1;
            match *number {
                0 => *self = Style::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 => self.underlined = true,
                9 => self.struck = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underlined = false,
                29 => self.struck = false,
                39 => self.front = None,
                49 => self.back = None,
                code @ 30..=37 => self.front = Some((code - 30) as u8),
                code @ 40..=47 => self.back = Some((code - 40) as u8),
                code @ 90..=97 => self.front = Some((code - 82) as u8),
                code @ 100..=107 => self.back = Some((code - 92) as u8),
                code @ (38 | 48) => {
                    let (color, taken) = chosen(&numbers[at..]);
                    at += taken;
                    match code {
                        38 => self.front = color.or(self.front),
                        _ => self.back = color.or(self.back),
                    }
                }
                _ => {}
            }
        }
    }
}

/// A colour of 256 or of all, as the nearest of 16; and how many numbers say so.
fn chosen(numbers: &[u16]) -> (Option<u8>, usize) {
    match numbers {
        [5, color, ..] => (Some(of_palette((*color).min(255) as u8)), 2),
        [2, red, green, blue, ..] => {
            let part = |value: &u16| (*value).min(255) as u8;
            (Some(nearest([part(red), part(green), part(blue)])), 4)
        }
        _ => (None, numbers.len()),
    }
}

fn of_palette(color: u8) -> u8 {
    match color {
        0..=15 => color,
        16..=231 => {
            let cube = color - 16;
            let step = |value: u8| if value == 0 { 0 } else { 55 + value * 40 };
            nearest([step(cube / 36), step(cube / 6 % 6), step(cube % 6)])
        }
        grey => {
            let level = 8 + (grey - 232) * 10;
            nearest([level, level, level])
        }
    }
}

/// The 16 colours as most terminals have them.
const COLORS: [[u8; 3]; 16] = [
    [0, 0, 0],
    [170, 0, 0],
    [0, 170, 0],
    [170, 85, 0],
    [0, 0, 170],
    [170, 0, 170],
    [0, 170, 170],
    [170, 170, 170],
    [85, 85, 85],
    [255, 85, 85],
    [85, 255, 85],
    [255, 255, 85],
    [85, 85, 255],
    [255, 85, 255],
    [85, 255, 255],
    [255, 255, 255],
];

fn nearest(color: [u8; 3]) -> u8 {
    let distance = |other: &[u8; 3]| -> i32 {
        let part = |at: usize| i32::from(color[at]) - i32::from(other[at]);
        (0..3).map(|at| part(at) * part(at)).sum()
    };
    let all = COLORS.iter().enumerate();
    all.min_by_key(|(_, other)| distance(other)).map_or(7, |(at, _)| at as u8)
}

/// Numbers of one sequence that are looked at.
const MOST: usize = 32;

/// Tells each piece of a line that looks the same, with how that is.
pub fn pieces(line: &[u8], style: &mut Style, mut tell: impl FnMut(&str, &Style)) {
    let (mut rest, mut piece, mut looks) = (line, String::new(), *style);
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == 0x1b).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        if looks != *style && !text.is_empty() {
            if !piece.is_empty() {
                tell(&piece, &looks);
            }
            piece.clear();
            looks = *style;
        }
        let text = String::from_utf8_lossy(text);
        piece.extend(text.chars().filter(|letter| *letter == '\t' || !letter.is_control()));
        rest = match after.split_first() {
            Some((_, sequence)) => sequence_of(sequence, style),
            None => &[],
        };
    }
    if !piece.is_empty() {
        tell(&piece, &looks);
    }
}

/// What follows a sequence, the start of which was read.
fn sequence_of<'l>(text: &'l [u8], style: &mut Style) -> &'l [u8] {
    match text.split_first() {
        Some((b'[', rest)) => control(rest, style),
        // A text for the terminal itself, such as the address of a link.
        Some((b']' | b'P' | b'X' | b'^' | b'_', rest)) => {
            match rest.iter().position(|byte| *byte == 0x07 || *byte == 0x1b) {
                Some(at) if rest[at] == 0x07 => &rest[at + 1..],
                Some(at) => rest[at + 1..].strip_prefix(b"\\").unwrap_or(&rest[at + 1..]),
                None => &[],
            }
        }
        Some((0x20..=0x7e, rest)) => rest,
        _ => text,
    }
}

fn control<'l>(text: &'l [u8], style: &mut Style) -> &'l [u8] {
    let length = text.iter().take_while(|byte| matches!(**byte, 0x20..=0x3f)).count();
    let (numbers, rest) = text.split_at(length);
    match rest.split_first() {
        Some((b'm', rest)) => {
            let read = |part: &[u8]| std::str::from_utf8(part).ok()?.parse::<u16>().ok();
            let parts = numbers.split(|byte| *byte == b';' || *byte == b':').take(MOST);
            let empty_is_nothing = |part: &[u8]| match part.is_empty() {
                true => Some(0),
                false => read(part),
            };
            style.apply(&parts.filter_map(empty_is_nothing).collect::<Vec<_>>());
            rest
        }
        Some((0x40..=0x7e, rest)) => rest,
        _ => rest,
    }
}
