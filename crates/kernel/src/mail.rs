//! Outgoing mail: over SMTP, or into a folder of `.eml` files.
//!
//! Send from a job, never inside a transaction: a mail server may be slow.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use crate::error::{Error, Result};
use crate::secrets::random_bytes;
use crate::time::Timestamp;
use crate::trust::{self, Trust};

/// How long one command of a mail server may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Characters kept of a subject.
const SUBJECT: usize = 255;
/// Characters kept of another header; addresses in them are longer.
const HEADER: usize = 2_000;

/// One mail to one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// `ada@example.com` or `Ada <ada@example.com>`.
    pub to: String,
    /// One line; line breaks and other control characters become spaces.
    pub subject: String,
    /// The plain text every mail has.
    pub text: String,
    /// The same as HTML, already escaped.
    pub html: Option<String>,
}

/// Which mails belong together, as mail programs tell by their headers: they
/// show a conversation as one, and sort what comes from one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Names this mail among those of the host: `Message-ID` without its host.
    pub id: String,
    /// The mails of the conversation that it follows, the first first:
    /// `References`, and the last of them `In-Reply-To`; none if it begins it.
    pub follows: Vec<String>,
    /// An id by which an answer is known for this mail's: first of `References`.
    pub answered_by: Option<String>,
    /// What it is about, from the outermost (`acme/anvil`): `List-Id`.
    pub list: String,
    /// The instance's host.
    pub host: String,
    /// Whose doing it tells of: stands before the sender's address.
    pub from: Option<String>,
    /// Further headers, by name; a value is one line.
    pub headers: Vec<(String, String)>,
}

impl Thread {
    fn id_of(&self, id: &str) -> String {
        format!("<{}@{}>", token(id), token(&self.host))
    }

    /// `acme/anvil <anvil.acme.host>`.
    fn list_id(&self) -> String {
        let mut parts: Vec<&str> = self.list.split('/').collect();
        parts.reverse();
        let id = token(&parts.join("."));
        let shown = |c: char| c.is_ascii_alphanumeric() || "/.-_".contains(c);
        let name: String = self.list.chars().filter(|c| shown(*c)).take(SUBJECT).collect();
        format!("{name} <{id}.{}>", token(&self.host))
    }
}

/// The characters of a text that ids in headers are made of; a dash for
/// others, so that nothing ends the header or the id.
fn token(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let token = text.chars().map(|c| if safe(c) { c } else { '-' });
    token.take(SUBJECT).collect()
}

/// Where mail goes. Cheap to clone.
#[derive(Clone)]
pub struct Mailer {
    from: Mailbox,
    route: Route,
}

#[derive(Clone)]
enum Route {
    Folder(Arc<PathBuf>),
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Memory(Arc<Mutex<Vec<(Message, Option<Thread>)>>>),
}

impl Mailer {
    /// Opens `file:///dir` or a plain directory (made when missing), or
    /// `smtp://user:password@host:port` (add `?tls=required` for STARTTLS), or
    /// `smtps://…`. `from` is the sender of every mail; of certificates those are
    /// believed that `trust` says.
    pub fn open(url: &str, from: &str, trust: &Trust) -> Result<Mailer> {
        let from = mailbox(from)?;
        let route = match url::Url::parse(url) {
            Ok(parsed) if matches!(parsed.scheme(), "smtp" | "smtps") => smtp(&parsed, trust)?,
            Ok(parsed) if parsed.scheme() == "file" => {
                folder(parsed.to_file_path().map_err(|()| unusable())?)?
            }
            Ok(_) => return Err(unusable()),
            Err(_) if url.contains("://") => return Err(unusable()),
            Err(_) => folder(PathBuf::from(url))?,
        };
        Ok(Mailer { from, route })
    }

    /// Keeps mail in memory, for tests; read it with [`Mailer::sent`].
    pub fn memory() -> Mailer {
        let from = mailbox("tenon <tenon@localhost>").expect("a fixed and valid address");
        Mailer { from, route: Route::Memory(Arc::default()) }
    }

    /// What a mailer made by [`Mailer::memory`] has sent, oldest first.
    pub fn sent(&self) -> Vec<Message> {
        match &self.route {
            Route::Memory(sent) => {
                let sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                sent.iter().map(|(message, _)| message.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The threads of those mails, in their order.
    pub fn threads(&self) -> Vec<Option<Thread>> {
        match &self.route {
            Route::Memory(sent) => {
                let sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                sent.iter().map(|(_, thread)| thread.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Sends one mail. An address that is none is [`Error::BadRequest`] and a
    /// refusal for good [`Error::Unprocessable`]: give up. Everything that may
    /// pass is [`Error::Unavailable`]: try again later.
    pub async fn send(&self, message: &Message) -> Result<()> {
        self.deliver(message, None).await
    }

    /// The same for one mail of a conversation.
    pub async fn send_in(&self, message: &Message, thread: &Thread) -> Result<()> {
        self.deliver(message, Some(thread)).await
    }

    async fn deliver(&self, message: &Message, thread: Option<&Thread>) -> Result<()> {
        let mail = self.compose(message, thread)?;
        match &self.route {
            Route::Folder(folder) => {
                let (folder, bytes) = (folder.clone(), mail.formatted());
                let written = tokio::task::spawn_blocking(move || write(&folder, &bytes));
                written.await.map_err(Error::internal)?
            }
            Route::Smtp(smtp) => smtp.send(mail).await.map(drop).map_err(refused),
            Route::Memory(sent) => {
                let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                let copy = Message { subject: one_line(&message.subject), ..message.clone() };
                sent.push((copy, thread.cloned()));
                Ok(())
            }
        }
    }

    /// The sender, under the name of who did what the mail tells of.
    fn sender(&self, thread: Option<&Thread>) -> Mailbox {
        match thread.and_then(|thread| thread.from.as_deref()).map(one_line) {
            Some(name) if !name.is_empty() => Mailbox::new(Some(name), self.from.email.clone()),
            _ => self.from.clone(),
        }
    }

    fn compose(&self, message: &Message, thread: Option<&Thread>) -> Result<lettre::Message> {
        let mail = lettre::Message::builder()
            .from(self.sender(thread))
            .to(mailbox(&message.to)?)
            .subject(one_line(&message.subject))
            .message_id(thread.map(|thread| thread.id_of(&thread.id)))
            .date_now();
        let mail = match thread {
            Some(thread) => in_thread(mail, thread),
            None => mail,
        };
        let mail = match &message.html {
            Some(html) => {
                let parts = MultiPart::alternative_plain_html(message.text.clone(), html.clone());
                mail.multipart(parts)
            }
            None => mail.singlepart(lettre::message::SinglePart::plain(message.text.clone())),
        };
        mail.map_err(Error::internal)
    }
}

/// Adds the headers of a conversation; that the mail is written by a program
/// keeps answering machines from answering it.
fn in_thread(mut mail: MessageBuilder, thread: &Thread) -> MessageBuilder {
    if let Some(last) = thread.follows.last() {
        mail = mail.in_reply_to(thread.id_of(last));
    }
    let known = thread.answered_by.iter().chain(&thread.follows);
    let known: Vec<String> = known.map(|id| thread.id_of(id)).collect();
    if !known.is_empty() {
        mail = mail.references(known.join(" "));
    }
    let own = [
        ("List-Id".to_owned(), thread.list_id()),
        ("Auto-Submitted".to_owned(), "auto-generated".to_owned()),
    ];
    for (name, value) in own.iter().chain(&thread.headers) {
        // The builder takes any ASCII for a name, line breaks too.
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if let (true, Ok(name)) = (is_name, HeaderName::new_from_ascii(name.clone())) {
            mail = mail.raw_header(HeaderValue::new(name, line(value, HEADER)));
        }
    }
    mail
}

/// A value for one header: no line breaks, no control characters, bounded.
fn one_line(text: &str) -> String {
    line(text, SUBJECT)
}

fn line(text: &str, most: usize) -> String {
    let spaced = text.chars().map(|c| if is_control(c) { ' ' } else { c });
    spaced.take(most).collect::<String>().trim().to_owned()
}

fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn mailbox(text: &str) -> Result<Mailbox> {
    let refused = || Error::BadRequest(format!("{text:?} is not an e-mail address"));
    if text.chars().any(is_control) {
        return Err(refused());
    }
    text.parse().map_err(|_| refused())
}

fn smtp(url: &url::Url, trust: &Trust) -> Result<Route> {
    // The URL holds a password, so it is not repeated.
    let unusable =
        |error: SmtpError| Error::internal(format!("the mail URL cannot be used: {error}"));
    let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str()).map_err(unusable)?;
    let builder = match tls(url, trust).map_err(unusable)? {
        Some(tls) => builder.tls(tls),
        None => builder,
    };
    Ok(Route::Smtp(builder.timeout(Some(TIMEOUT)).build()))
}

/// The TLS that the URL asks for, as the library understands it, with the
/// certificates that are believed here.
fn tls(url: &url::Url, trust: &Trust) -> std::result::Result<Option<Tls>, SmtpError> {
    let asked = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value);
    let tls = match (url.scheme(), asked.as_deref()) {
        ("smtps", _) => Tls::Wrapper,
        (_, Some("required")) => Tls::Required,
        (_, Some("opportunistic")) => Tls::Opportunistic,
        _ => return Ok(None),
    };
    let mut parameters = TlsParameters::builder(url.host_str().unwrap_or_default().to_owned());
    for own in trust.own() {
        parameters = parameters.add_root_certificate(Certificate::from_der(own.to_vec())?);
    }
    Ok(Some(tls(parameters.build()?)))
}

fn folder(folder: PathBuf) -> Result<Route> {
    std::fs::create_dir_all(&folder)?;
    Ok(Route::Folder(Arc::new(folder)))
}

/// Writes a file whose name sorts by time; readers never see half of it.
fn write(folder: &Path, bytes: &[u8]) -> Result<()> {
    let name =
        format!("{}-{}", Timestamp::now().as_microsecond(), hex::encode(random_bytes::<4>()));
    let unfinished = folder.join(format!(".{name}"));
    std::fs::write(&unfinished, bytes)?;
    Ok(std::fs::rename(&unfinished, folder.join(format!("{name}.eml")))?)
}

fn refused(error: SmtpError) -> Error {
    if let Some(why) = trust::refusal(&error) {
        return Error::Unavailable(format!("The mail server is not believed: {why}"));
    }
    if error.is_permanent() {
        Error::Unprocessable(format!("The mail server refused the message: {error}"))
    } else {
        Error::Unavailable(format!("The mail server cannot be reached: {error}"))
    }
}

fn unusable() -> Error {
    Error::internal("the mail URL must be file:///DIR, smtp://HOST or smtps://HOST")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    fn message(to: &str, subject: &str) -> Message {
        let html = Some("<p>Grüße</p>".into());
        Message {
            to: to.into(),
            subject: subject.into(),
            text: "Grüße\n.\nend".into(),
            html,
        }
    }

    /// A mail server that answers `RCPT` as told and returns what it was sent.
    async fn server(rcpt: &'static str) -> (u16, tokio::task::JoinHandle<String>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let session = tokio::spawn(async move {
            let (socket, _) = listener.accept().await.unwrap();
            let (read, mut write) = socket.into_split();
            let mut lines = BufReader::new(read).lines();
            let (mut seen, mut in_data) = (String::new(), false);
            write.write_all(b"220 test\r\n").await.unwrap();
            while let Ok(Some(line)) = lines.next_line().await {
                seen.push_str(&format!("{line}\n"));
                let answer = match line.split(' ').next().unwrap() {
                    "." if in_data => {
                        in_data = false;
                        "250 kept"
                    }
                    _ if in_data => continue,
                    "RCPT" => rcpt,
                    "DATA" => {
                        in_data = true;
                        "354 go on"
                    }
                    _ => "250 fine",
                };
                write.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
                if in_data {
                    continue;
                }
                if line == "." {
                    break;
                }
            }
            seen
        });
        (port, session)
    }

    #[tokio::test]
    async fn a_folder_collects_whole_mails() {
        let directory = tempfile::tempdir().unwrap();
        let url = url::Url::from_directory_path(directory.path().join("mail")).unwrap();
        let mailer =
            Mailer::open(url.as_str(), "tenon <no-reply@example.com>", &Trust::default()).unwrap();
        mailer.send(&message("Ada <ada@example.com>", "Hello Ädä")).await.unwrap();

        let files: Vec<_> = std::fs::read_dir(directory.path().join("mail")).unwrap().collect();
        let path = files[0].as_ref().unwrap().path();
        assert_eq!((files.len(), path.extension().unwrap().to_str()), (1, Some("eml")));
        let text = std::fs::read_to_string(path).unwrap();
        for part in ["From: tenon <no-reply@example.com>", "To: Ada <ada@example.com>"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(text.contains("Message-ID: <") && text.contains("multipart/alternative"));
    }

    #[tokio::test]
    async fn line_breaks_never_reach_a_header() {
        let directory = tempfile::tempdir().unwrap();
        let mailer =
            Mailer::open(directory.path().to_str().unwrap(), "a@example.com", &Trust::default())
                .unwrap();
        let subject = "Hi\r\nBcc: eve@example.com\n\nbody\0\u{2028}x";
        mailer.send(&message("ada@example.com", subject)).await.unwrap();
        let file = std::fs::read_dir(directory.path()).unwrap().next().unwrap().unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(!text.to_lowercase().contains("\nbcc:"), "{text}");

        for to in ["ada@example.com\r\nBcc: eve@example.com", "A\nB <a@example.com>", "", "ada"] {
            let refused = mailer.send(&message(to, "x")).await;
            assert!(matches!(refused, Err(Error::BadRequest(_))), "{to:?}");
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn a_conversation_is_told_by_headers() {
        let directory = tempfile::tempdir().unwrap();
        let mailer =
            Mailer::open(directory.path().to_str().unwrap(), "a@example.com", &Trust::default())
                .unwrap();
        let thread = Thread {
            id: "issue-5-note-7".into(),
            follows: vec!["issue-5\r\nBcc: eve@example.com".into()],
            answered_by: Some("reply-k".into()),
            list: "acme/anvil>\r\nX: y".into(),
            host: "tenon.example.com".into(),
            from: Some("Ada \"A\"\r\nBcc: eve@example.com".into()),
            headers: vec![
                ("X-Service-Project".into(), "Grüße\r\nBcc: eve@example.com".into()),
                ("X-Service\r\nBcc".into(), "eve@example.com".into()),
            ],
        };
        let message = message("ada@example.com", "x");
        mailer.send_in(&message, &thread).await.unwrap();
        let mut files = std::fs::read_dir(directory.path()).unwrap();
        let text = std::fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap();
        let text = text.replace("\r\n ", " ");
        let begun = "<issue-5--Bcc--eve-example.com@tenon.example.com>";
        for line in [
            "Message-ID: <issue-5-note-7@tenon.example.com>".to_owned(),
            format!("In-Reply-To: {begun}"),
            format!("References: <reply-k@tenon.example.com> {begun}"),
            "List-Id: acme/anvilXy <anvil---X--y.acme.tenon.example.com>".to_owned(),
            "Auto-Submitted: auto-generated".to_owned(),
        ] {
            assert!(text.contains(&format!("{line}\r\n")), "{line}: {text}");
        }
        let lower = text.to_lowercase();
        assert!(!lower.contains("\nbcc:") && !lower.contains("\nx:"), "{text}");
        assert!(
            text.contains("X-Service-Project: ") && text.contains("<a@example.com>"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn memory_keeps_what_was_sent() {
        let mailer = Mailer::memory();
        mailer.clone().send(&message("ada@example.com", " a\nb ")).await.unwrap();
        assert_eq!(mailer.sent()[0].subject, "a b");
    }

    #[tokio::test]
    async fn smtp_delivers() {
        let (port, session) = server("250 fine").await;
        let mailer =
            Mailer::open(&format!("smtp://127.0.0.1:{port}"), "a@example.com", &Trust::default())
                .unwrap();
        mailer.send(&message("ada@example.com", "x")).await.unwrap();
        drop(mailer);
        let seen = session.await.unwrap();
        assert!(seen.contains("RCPT TO:<ada@example.com>") && seen.contains("\n.\n"), "{seen}");
    }

    #[tokio::test]
    async fn smtp_refusals_say_whether_to_retry() {
        for (answer, for_good) in [("550 no such user", true), ("451 later", false)] {
            let (port, session) = server(answer).await;
            let url = format!("smtp://127.0.0.1:{port}");
            let mailer = Mailer::open(&url, "a@example.com", &Trust::default()).unwrap();
            let refused = mailer.send(&message("ada@example.com", "x")).await.unwrap_err();
            assert_eq!(matches!(refused, Error::Unprocessable(_)), for_good, "{refused}");
            assert_eq!(matches!(refused, Error::Unavailable(_)), !for_good, "{refused}");
            session.abort();
        }
        let mailer =
            Mailer::open("smtp://127.0.0.1:1", "a@example.com", &Trust::default()).unwrap();
        let refused = mailer.send(&message("ada@example.com", "x")).await;
        assert!(matches!(refused, Err(Error::Unavailable(_))));
    }

    #[test]
    fn unusable_settings_are_refused() {
        for url in ["http://x", "smtp://", "file://host.example/x", "://"] {
            assert!(Mailer::open(url, "a@example.com", &Trust::default()).is_err(), "{url}");
        }
        assert!(Mailer::open("smtp://localhost", "nobody", &Trust::default()).is_err());
    }
}
