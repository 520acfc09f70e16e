//! A mailbox over IMAP, as far as reading what is new goes.

use crate::message::MAX_MAIL;
use async_imap::{Client, Session};
use futures_util::TryStreamExt;
use kernel::error::{Error, Result};
use kernel::trust::{self, Trust};
use percent_encoding::percent_decode_str;
use rustls::pki_types::ServerName;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf, Take};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Bytes that a mail server may send in one session: one large mail and some more.
const SESSION: u64 = 4 * MAX_MAIL as u64;

/// Where a mailbox is, and who reads it.
pub struct Place {
    host: String,
    port: u16,
    tls: Tls,
    user: String,
    password: String,
    mailbox: String,
    trust: Trust,
    /// What is read is removed.
    deletes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tls {
    None,
    /// Begun after the greeting.
    Start,
    Whole,
}

impl Place {
    /// Reads `imap(s)://USER:PASSWORD@HOST:PORT/MAILBOX?tls=required&delete=true`.
    pub fn of(url: &url::Url, trust: &Trust) -> Result<Place> {
        let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let asks = |name: &str, value: &str| {
            url.query_pairs().any(|pair| pair == (name.into(), value.into()))
        };
        let tls = match url.scheme() {
            "imaps" => Tls::Whole,
            _ if asks("tls", "required") => Tls::Start,
            _ => Tls::None,
        };
        let usual = if tls == Tls::Whole { 993 } else { 143 };
        let mailbox = plain(url.path().trim_matches('/'));
        Ok(Place {
            host: url.host_str().ok_or_else(unusable)?.to_owned(),
            port: url.port().unwrap_or(usual),
            tls,
            user: plain(url.username()),
            password: plain(url.password().unwrap_or_default()),
            mailbox: if mailbox.is_empty() {
                "INBOX".to_owned()
            } else {
                mailbox
            },
            trust: trust.clone(),
            deletes: asks("delete", "true"),
        })
    }

    fn key(&self, numbered: Option<u32>) -> String {
        let Place { host, port, user, mailbox, .. } = self;
        let text = format!("{user}\n{host}\n{port}\n{mailbox}\n{}", numbered.unwrap_or(0));
        let digest = Sha256::digest(text);
        digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn unusable() -> Error {
    Error::internal("incoming_mail_url has no host")
}

fn away(error: impl std::fmt::Display) -> Error {
    Error::Unavailable(format!("The mailbox cannot be read: {error}"))
}

/// A connection, of which only so much is read.
struct Bounded(Take<Box<dyn Connection>>);

trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Connection for T {}

impl std::fmt::Debug for Bounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bounded")
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(self.0.get_mut()).poll_write(context, bytes)
    }

    fn poll_flush(
        mut self: Pin<&mut Self>, context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(self.0.get_mut()).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>, context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(self.0.get_mut()).poll_shutdown(context)
    }
}

fn bounded(connection: impl Connection + 'static) -> Client<Bounded> {
    let connection: Box<dyn Connection> = Box::new(connection);
    Client::new(Bounded(connection.take(SESSION)))
}

async fn connect(place: &Place) -> Result<Client<Bounded>> {
    let tcp = TcpStream::connect((place.host.as_str(), place.port)).await.map_err(away)?;
    if place.tls == Tls::Whole {
        let mut client = bounded(secured(place, tcp).await?);
        greeted(client.read_response().await.map_err(away)?.is_some())?;
        return Ok(client);
    }
    let mut client = bounded(tcp);
    greeted(client.read_response().await.map_err(away)?.is_some())?;
    if place.tls == Tls::None {
        return Ok(client);
    }
    client.run_command_and_check_ok("STARTTLS", None).await.map_err(away)?;
    Ok(bounded(secured(place, client.into_inner()).await?))
}

fn greeted(is_greeted: bool) -> Result<()> {
    is_greeted.then_some(()).ok_or_else(|| away("the server says nothing"))
}

async fn secured(
    place: &Place, connection: impl Connection + 'static,
) -> Result<impl Connection + 'static> {
    let name = ServerName::try_from(place.host.clone()).map_err(away)?;
    let connected = TlsConnector::from(Arc::new(place.trust.tls()?)).connect(name, connection);
    connected.await.map_err(|error| match trust::refusal(&error) {
        Some(why) => Error::Unavailable(format!("The mail server is not believed: {why}")),
        None => away(error),
    })
}

/// An open mailbox.
pub struct Mailbox {
    session: Session<Bounded>,
    key: String,
    deletes: bool,
}

impl Mailbox {
    pub async fn open(place: &Place) -> Result<Mailbox> {
        let client = connect(place).await?;
        let login = client.login(&place.user, &place.password).await;
        let mut session = login.map_err(|(error, _)| away(error))?;
        let selected = session.select(&place.mailbox).await.map_err(away)?;
        let key = place.key(selected.uid_validity);
        Ok(Mailbox { session, key, deletes: place.deletes })
    }

    /// Tells this mailbox from others, and from itself once its mails are numbered
    /// anew.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What nobody has read, but for those that wait, the oldest first.
    pub async fn unread(&mut self, waiting: &HashSet<u32>, most: usize) -> Result<Vec<u32>> {
        let found = self.session.uid_search("UNSEEN UNDELETED").await.map_err(away)?;
        let mut found: Vec<u32> = found.into_iter().filter(|uid| !waiting.contains(uid)).collect();
        found.sort_unstable();
        found.truncate(most);
        Ok(found)
    }

    /// A mail; nothing if it is too large, or gone.
    pub async fn fetch(&mut self, uid: u32) -> Result<Option<Vec<u8>>> {
        let size = self.one(uid, "RFC822.SIZE").await?.and_then(|found| found.size);
        match size {
            Some(size) if size as usize <= MAX_MAIL => {
                let found = self.one(uid, "BODY.PEEK[]").await?;
                Ok(found.and_then(|found| found.body().map(<[u8]>::to_vec)))
            }
            _ => Ok(None),
        }
    }

    async fn one(&mut self, uid: u32, what: &str) -> Result<Option<async_imap::types::Fetch>> {
        let found = self.session.uid_fetch(uid.to_string(), what).await.map_err(away)?;
        let found: Vec<_> = found.try_collect().await.map_err(away)?;
        Ok(found.into_iter().find(|found| found.uid == Some(uid)))
    }

    /// Notes that a mail needs no second look.
    pub async fn is_read(&mut self, uid: u32) -> Result<()> {
        let flags = if self.deletes {
            "+FLAGS (\\Seen \\Deleted)"
        } else {
            "+FLAGS (\\Seen)"
        };
        self.store(uid, flags).await
    }

    /// Notes that a person has to look at a mail; it is never removed.
    pub async fn set_aside(&mut self, uid: u32) -> Result<()> {
        self.store(uid, "+FLAGS (\\Seen \\Flagged)").await
    }

    async fn store(&mut self, uid: u32, flags: &str) -> Result<()> {
        let stored = self.session.uid_store(uid.to_string(), flags).await.map_err(away)?;
        stored.try_for_each(|_| async { Ok(()) }).await.map_err(away)
    }

    pub async fn close(mut self) -> Result<()> {
        if self.deletes {
            let removed = self.session.expunge().await.map_err(away)?;
            removed.try_for_each(|_| async { Ok(()) }).await.map_err(away)?;
        }
        self.session.logout().await.map_err(away)
    }
}
