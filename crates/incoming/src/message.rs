//! What a mail that came in says, read from its bytes.

use crate::said::{before_quote, said};
use mail_parser::{HeaderValue, Message, MessageParser, MimeHeaders, PartType};

/// Bytes of a mail.
pub const MAX_MAIL: usize = 25 * 1024 * 1024;
/// Addresses and ids that are looked at for a key.
const MOST: usize = 100;
/// Files of a mail that are kept.
const FILES: usize = 10;
/// Characters of a file's name.
const FILE_NAME: usize = 200;

/// Headers that name to whom a mail was delivered, the surest first.
const DELIVERED: [&str; 6] =
    ["Delivered-To", "Envelope-To", "X-Original-To", "X-Envelope-To", "To", "Cc"];

/// A mail.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IncomingMail {
    /// The one who says to have sent it, in small letters.
    pub from: Option<String>,
    /// To whom it was delivered.
    pub to: Vec<String>,
    /// The mails that it answers, without their angles.
    pub answers: Vec<String>,
    /// Its own id.
    pub id: Option<String>,
    /// A program wrote it: nobody waits for an answer.
    pub is_automatic: bool,
    /// What it says, without what it quotes.
    pub text: String,
    pub files: Vec<IncomingFile>,
}

/// A file that came with a mail.
#[derive(Debug, PartialEq, Eq)]
pub struct IncomingFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl IncomingMail {
    /// Reads the bytes of a mail; none where they are none.
    pub fn read(bytes: &[u8]) -> Option<IncomingMail> {
        let mail = MessageParser::default().parse(bytes)?;
        let from = mail.from().and_then(|from| from.first()).and_then(|from| from.address());
        Some(IncomingMail {
            from: from.map(str::to_lowercase),
            to: delivered_to(&mail),
            answers: answered(&mail),
            id: mail.message_id().map(str::to_owned),
            is_automatic: is_automatic(&mail),
            text: text(&mail),
            files: files(&mail),
        })
    }
}

fn delivered_to(mail: &Message<'_>) -> Vec<String> {
    let values = DELIVERED.iter().flat_map(|name| mail.header_values(*name));
    values.flat_map(addresses).take(MOST).collect()
}

/// The addresses in a header that may be known as such or as text.
fn addresses(value: &HeaderValue<'_>) -> Vec<String> {
    match value {
        HeaderValue::Address(list) => {
            let addresses = list.iter().filter_map(|one| one.address());
            addresses.take(MOST).map(str::to_lowercase).collect()
        }
        HeaderValue::Text(text) => in_text(text),
        HeaderValue::TextList(texts) => texts.iter().flat_map(|text| in_text(text)).collect(),
        _ => Vec::new(),
    }
}

fn in_text(text: &str) -> Vec<String> {
    let words = text.split([',', ';', '<', '>', ' ', '\t', '"']);
    words
        .filter(|word| word.contains('@'))
        .take(MOST)
        .map(str::to_lowercase)
        .collect()
}

fn answered(mail: &Message<'_>) -> Vec<String> {
    let values = [mail.in_reply_to(), mail.references()];
    let ids = values.into_iter().flat_map(|value| match value {
        HeaderValue::Text(id) => vec![id.to_string()],
        HeaderValue::TextList(ids) => ids.iter().map(|id| id.to_string()).collect(),
        _ => Vec::new(),
    });
    ids.take(MOST).collect()
}

/// Whether a program sent it (RFC 3834), a list did, or this server itself: nothing
/// of it is answered, so that no two programs talk for ever.
fn is_automatic(mail: &Message<'_>) -> bool {
    let says =
        |name: &str| mail.header_values(name.to_owned()).next().and_then(HeaderValue::as_text);
    let auto = says("Auto-Submitted").is_some_and(|value| !value.eq_ignore_ascii_case("no"));
    let bulk = says("Precedence").is_some_and(|value| {
        ["bulk", "junk", "list", "auto_reply"]
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word))
    });
    let answered = ["X-Autoreply", "X-Autorespond", "X-Autorespond-To", "X-Loop"]
        .iter()
        .any(|name| mail.header(*name).is_some());
    let bounced = matches!(mail.header_raw("Return-Path").map(str::trim), Some("<>"));
    let report = mail
        .content_type()
        .is_some_and(|kind| kind.ctype() == "multipart" && kind.subtype() == Some("report"));
    auto || bulk || answered || bounced || report
}

fn text(mail: &Message<'_>) -> String {
    let first = mail.text_part(0).or_else(|| mail.html_part(0));
    match first.map(|part| &part.body) {
        Some(PartType::Text(text)) => said(text),
        Some(PartType::Html(html)) => {
            said(&mail_parser::decoders::html::html_to_text(before_quote(html)))
        }
        _ => String::new(),
    }
}

fn files(mail: &Message<'_>) -> Vec<IncomingFile> {
    let files = mail.attachments().filter_map(|part| {
        let name: String = part.attachment_name()?.chars().take(FILE_NAME).collect();
        match &part.body {
            PartType::Message(_) | PartType::Multipart(_) => None,
            _ => Some(IncomingFile { name, bytes: part.contents().to_vec() }),
        }
    });
    files.filter(|file| !file.bytes.is_empty()).take(FILES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mail: &str) -> IncomingMail {
        IncomingMail::read(mail.replace('\n', "\r\n").as_bytes()).expect("a mail")
    }

    const PLAIN: &str = "From: Joe Smith <Joe@Example.com>\n\
        To: anvil <reply+0123abcd@tenon.example>\nSubject: Re: anvil | A hinge (#1)\n\
        Message-ID: <7@mail.example>\nIn-Reply-To: <issue_1@tenon.example>\n\
        References: <reply-0123abcd@tenon.example> <issue_1@tenon.example>\n\n\
        Yes, gr=C3=BCn.\n\nOn Mon, 23 Nov 2026, Jane <tenon@tenon.example> wrote:\n> What?\n";

    #[test]
    fn an_answer_is_read() {
        let mail = read(PLAIN);
        assert_eq!(mail.from.as_deref(), Some("joe@example.com"));
        assert_eq!(mail.to, ["reply+0123abcd@tenon.example"]);
        assert_eq!(mail.id.as_deref(), Some("7@mail.example"));
        let answers =
            ["issue_1@tenon.example", "reply-0123abcd@tenon.example", "issue_1@tenon.example"];
        assert_eq!(mail.answers, answers);
        assert!(!mail.is_automatic);
        assert_eq!(mail.text, "Yes, gr=C3=BCn.");
    }

    #[test]
    fn every_place_of_an_address_counts() {
        for name in ["Delivered-To", "Envelope-To", "X-Original-To", "Cc"] {
            let mail =
                read(&format!("From: joe@example.com\n{name}: Reply+AB12@tenon.example\n\nx\n"));
            assert_eq!(mail.to, ["reply+ab12@tenon.example"], "{name}");
        }
    }

    #[test]
    fn html_and_files_are_read() {
        let mail = read(
            "From: joe@example.com\nMIME-Version: 1.0\n\
             Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n\
             <p>Yes &amp; no</p><blockquote>What?</blockquote>\n--b\nContent-Type: image/png\n\
             Content-Disposition: attachment; filename=\"a b.png\"\n\
             Content-Transfer-Encoding: base64\n\niVBORw==\n--b--\n",
        );
        assert_eq!(mail.text, "Yes & no");
        let file = IncomingFile { name: "a b.png".into(), bytes: vec![0x89, 0x50, 0x4e, 0x47] };
        assert_eq!(mail.files, [file]);
    }

    #[test]
    fn mails_of_programs_are_told_apart() {
        for header in [
            "Auto-Submitted: auto-replied",
            "Precedence: Bulk",
            "X-Autoreply: yes",
            "Return-Path: <>",
            "Content-Type: multipart/report; boundary=b",
        ] {
            assert!(read(&format!("{header}\nFrom: joe@example.com\n\nAway.\n")).is_automatic);
        }
        assert!(!read("Auto-Submitted: no\nFrom: a@example.com\n\nx\n").is_automatic);
    }

    #[test]
    fn what_is_no_mail_is_none_or_empty() {
        for bytes in [&b""[..], b"\0\xff\xfe", b"no header at all", b"From: \r\n\r\n"] {
            let mail = IncomingMail::read(bytes).unwrap_or_default();
            assert_eq!((mail.from, mail.to), (None, Vec::new()));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            IncomingMail::read(&bytes);
        }
    }
}
