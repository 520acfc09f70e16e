//! What somebody said in an answer by mail: its text without what it answers and
//! without their signature. Programs that write mail agree on little, so this knows
//! the few forms that nearly all of it has (decision 15 says which and why no
//! library).

/// Lines of an attribution («On Monday, Jane wrote:») that programs break.
const ATTRIBUTION: usize = 3;
/// Lines in which the header of a quoted mail names more than its sender.
const HEADER: usize = 5;
/// Characters of a line that is looked at; longer ones are text.
const LINE: usize = 500;

/// What was said in a plain text.
pub fn said(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let lines = &lines[..end(&lines)];
    let lines = without_quote(lines);
    without_boast(lines).join("\n").trim().to_owned()
}

/// The part of a text of HTML before what it quotes.
pub fn before_quote(html: &str) -> &str {
    const MARKS: [&str; 7] = [
        "<blockquote",
        "class=\"gmail_quote",
        "class=\"gmail_signature",
        "class=\"moz-cite-prefix",
        "id=\"divrplyfwdmsg",
        "id=\"appendonsend",
        "id=\"mail-editor-reference-message-container",
    ];
    let lower = html.to_ascii_lowercase();
    let mark = MARKS.iter().filter_map(|mark| lower.find(mark)).min();
    // Marks in a tag begin before the tag does.
    let end = mark.map(|at| lower[..=at].rfind('<').unwrap_or(at));
    &html[..end.unwrap_or(html.len())]
}

/// The first line that is no longer the answer: a signature, or the mail before.
fn end(lines: &[&str]) -> usize {
    let ends = |at: &usize| is_signature(lines[*at]) || is_separator(lines, *at);
    (0..lines.len()).find(ends).unwrap_or(lines.len())
}

/// RFC 3676 4.3; trailing space is gone already.
fn is_signature(line: &str) -> bool {
    line == "--"
}

fn is_separator(lines: &[&str], at: usize) -> bool {
    let line = lines[at];
    if line.len() > LINE {
        return false;
    }
    let dashed = line.starts_with("-----") && line.ends_with("-----") && line.contains(' ');
    let ruled = line.len() >= 20 && line.chars().all(|c| c == '_');
    let below = || &lines[at + 1..lines.len().min(at + 1 + HEADER)];
    match () {
        () if dashed => true,
        () if ruled => below().iter().any(|line| is_header(line, SENDER)),
        () => {
            is_header(line, SENDER)
                && below().iter().filter(|line| is_header(line, FURTHER)).count() >= 2
        }
    }
}

/// How the header of a quoted mail names its sender, in languages whose speakers
/// send most mail.
const SENDER: &[&str] = &["from", "von", "de", "da", "van", "från", "fra", "od", "от"];
/// The same of when it was sent, to whom, and its subject.
const FURTHER: &[&str] = &[
    "sent",
    "date",
    "to",
    "subject",
    "cc",
    "gesendet",
    "datum",
    "an",
    "betreff",
    "envoyé",
    "à",
    "objet",
    "enviado",
    "fecha",
    "para",
    "asunto",
    "assunto",
    "inviato",
    "data",
    "a",
    "oggetto",
    "verzonden",
    "aan",
    "onderwerp",
    "skickat",
    "till",
    "ämne",
    "sendt",
    "til",
    "emne",
    "wysłano",
    "do",
    "temat",
    "отправлено",
    "кому",
    "тема",
];

fn is_header(line: &str, names: &[&str]) -> bool {
    let line = line.trim_start_matches('*');
    let Some((name, value)) = line.split_once(':') else {
        return false;
    };
    let name = name.trim_end_matches('*').to_lowercase();
    !value.trim_matches(['*', ' ']).is_empty() && names.contains(&name.as_str())
}

fn is_quote(line: &str) -> bool {
    line.starts_with('>')
}

/// The lines before a quote at the end, and before who said it. Quotes that are
/// answered in between stay.
fn without_quote<'t>(lines: &'t [&'t str]) -> &'t [&'t str] {
    let is_open = |line: &&str| !is_quote(line) && !line.is_empty();
    let text = lines.iter().rposition(is_open).map_or(0, |last| last + 1);
    if !lines[text..].iter().any(|line| is_quote(line)) {
        return lines;
    }
    let lines = &lines[..text];
    match attribution(lines) {
        Some(begin) => &lines[..begin],
        None => lines,
    }
}

/// Where the line that says whom the quote below is of begins: it ends in a colon and
/// has a time or an address.
fn attribution(lines: &[&str]) -> Option<usize> {
    if !lines.last()?.ends_with(':') {
        return None;
    }
    let least = lines.len().saturating_sub(ATTRIBUTION);
    let block = lines.iter().rposition(|line| line.is_empty()).map_or(0, |at| at + 1);
    (least.max(block)..lines.len()).find(|at| {
        let digits = lines[*at].chars().filter(char::is_ascii_digit);
        lines[*at].contains('@') || digits.count() >= 4
    })
}

/// The lines before «Sent from my telephone».
fn without_boast<'t>(lines: &'t [&'t str]) -> &'t [&'t str] {
    const BOASTS: [&str; 5] = [
        "Sent from my ",
        "Sent from Mail ",
        "Get Outlook for ",
        "Sent via ",
        "Von meinem ",
    ];
    let Some(last) = lines.iter().rposition(|line| !line.trim().is_empty()) else {
        return &[];
    };
    let boasts = BOASTS.iter().any(|boast| lines[last].starts_with(boast));
    match boasts && lines[last].len() < 80 {
        true => &lines[..last],
        false => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_answered_is_cut() {
        let quote = "> First line\n> second line\n>\n> -- \n> You are told because";
        for above in [
            "On Mon, 23 Nov 2026 at 10:01, Jane <tenon@example.com> wrote:",
            "On Mon, 23 Nov 2026 at 10:01, Jane Of The Long Name\n<tenon@example.com> wrote:",
            "Am 23.11.26 um 10:01 schrieb Jane:",
            "Le lun. 23 nov. 2026 à 10:01, Jane <tenon@example.com> a\nécrit :",
            "2026年11月23日(月) 10:01 Jane <tenon@example.com>:",
        ] {
            let mail =
                format!("I agree.\r\n\r\nTwo things:\r\n- a\r\n\r\n{above}\r\n\r\n{quote}\r\n");
            assert_eq!(said(&mail), "I agree.\n\nTwo things:\n- a", "{above}");
        }
        assert_eq!(said(&format!("Yes\n{quote}\n")), "Yes");
    }

    #[test]
    fn other_programs_quote_below_a_header() {
        let header = "From: Jane <tenon@example.com>\nSent: Monday, 23 November 2026\nTo: Joe\n\
                      Subject: Re: anvil\n\nFirst line";
        for mail in [
            format!("I agree.\n\n{header}"),
            format!("I agree.\n\n________________________________\n{header}"),
            format!("I agree.\n\n-----Original Message-----\n{header}"),
            "I agree.\n\nVon: Jane\nGesendet: Montag\nAn: Joe\nBetreff: x\n\nErste".to_owned(),
            "I agree.\n\n*From:* Jane\n*Date:* Monday\n*To:* Joe\n\nFirst".to_owned(),
        ] {
            assert_eq!(said(&mail), "I agree.", "{mail}");
        }
    }

    #[test]
    fn signatures_are_cut() {
        assert_eq!(said("Fine.\n\n-- \nJoe\nAnvils and more"), "Fine.");
        assert_eq!(said("Fine.\n--\nJoe"), "Fine.");
        assert_eq!(said("Fine.\n\nSent from my telephone"), "Fine.");
    }

    #[test]
    fn what_was_written_stays() {
        for text in [
            "> First line\n\nNo.\n\n> second line\n\nYes.",
            "Steps:\n\n1. From: what?\n2. --flag\n\n---\n\nA rule, and _____ a gap",
            "/close\n/label ~bug",
            "De: a word that begins like a header",
            "| a | b |\n|---|---|\n| 1 | 2 |",
        ] {
            assert_eq!(said(text), text);
        }
        assert_eq!(said(""), "");
        assert_eq!(said("> only a quote"), "");
    }

    #[test]
    fn quotes_of_html_are_cut() {
        for (html, open) in [
            ("<p>Yes</p><BLOCKQUOTE type=cite>No</BLOCKQUOTE>", "<p>Yes</p>"),
            ("<div>Yes</div><div class=\"gmail_quote\">No</div>", "<div>Yes</div>"),
            (
                "<div>Yes</div><hr id=\"x\"><div id=\"divRplyFwdMsg\">",
                "<div>Yes</div><hr id=\"x\">",
            ),
            ("<p>Yes", "<p>Yes"),
        ] {
            assert_eq!(before_quote(html), open);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_a_part_of_it(text in "(>|-- |From: a|\n|\r|:|[a-zé@0-9 ]){0,60}") {
            let said = said(&text);
            let plain = text.replace("\r\n", "\n").replace('\r', "\n");
            for line in said.lines() {
                assert!(plain.contains(line));
            }
            before_quote(&text);
        }
    }
}
