//! What the client of a push is told (gitprotocol-pack, «Report Status»).

use super::land::Landed;
use crate::formats::commands::PushRequest;
use crate::formats::packet::{self, Band};
use bytes::Bytes;
use kernel::error::{Error, Result};
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// How often a client that waits is told that it goes on.
const ALIVE: Duration = Duration::from_secs(5);
/// Why refs stay where the whole push was refused.
const DECLINED: &str = "pre-receive hook declined";
const UNPACKER: &str = "unpacker error";

pub(super) struct Report {
    answer: Sender<Bytes>,
    side_band: bool,
    reports: bool,
}

impl Report {
    pub(super) fn new(request: &PushRequest, answer: Sender<Bytes>) -> Report {
        Report {
            answer,
            side_band: request.side_band,
            reports: request.reports,
        }
    }

    /// Works, with signs of life between.
    pub(super) async fn while_waiting<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            match tokio::time::timeout(ALIVE, &mut work).await {
                Ok(done) => return done,
                Err(_) if self.side_band => {
                    let mut out = Vec::new();
                    packet::put(&mut out, &[&[Band::Answer as u8]]);
                    // Who went away is missed later.
                    let _ = self.answer.send(out.into()).await;
                }
                Err(_) => {}
            }
        }
    }

    /// Tells what became of each ref, and what there is to say beside that.
    pub(super) async fn tell(self, request: &PushRequest, outcome: Result<(Landed, Vec<String>)>) {
        let (unpacked, refs, message) = match outcome {
            Ok((Landed::Refs(refs), said)) => ("ok".to_owned(), refs, joined(&said)),
            Ok((Landed::BadObjects(text), _)) => (text, all(request, UNPACKER), None),
            Ok((Landed::Refused(text), _)) => ("ok".to_owned(), all(request, DECLINED), Some(text)),
            Err(error) => {
                let text = failure(error);
                ("ok".to_owned(), all(request, DECLINED), Some(text))
            }
        };
        let mut out = Vec::new();
        if let Some(text) = message.filter(|_| self.side_band) {
            packet::put_in_band(&mut out, Band::Message, format!("{text}\n").as_bytes());
        }
        if self.reports {
            self.put_report(&mut out, &report(request, &unpacked, &refs));
        }
        if self.side_band {
            out.extend_from_slice(packet::FLUSH);
        }
        // Who went away is told nothing.
        let _ = self.answer.send(out.into()).await;
    }

    fn put_report(&self, out: &mut Vec<u8>, report: &[u8]) {
        match self.side_band {
            true => packet::put_in_band(out, Band::Answer, report),
            false => out.extend_from_slice(report),
        }
    }
}

/// Lines as a terminal shows them: none of them moves its cursor.
fn joined(lines: &[String]) -> Option<String> {
    let plain = |line: &String| line.replace(char::is_control, " ");
    let lines: Vec<String> = lines.iter().map(plain).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn all(request: &PushRequest, why: &str) -> Vec<Result<(), String>> {
    request.commands.iter().map(|_| Err(why.to_owned())).collect()
}

fn report(request: &PushRequest, unpacked: &str, refs: &[Result<(), String>]) -> Vec<u8> {
    let mut out = Vec::new();
    packet::put(&mut out, &[b"unpack ", unpacked.as_bytes(), b"\n"]);
    for (command, result) in request.commands.iter().zip(refs) {
        let name = command.sent_name.as_bytes();
        match result {
            Ok(()) => packet::put(&mut out, &[b"ok ", name, b"\n"]),
            Err(why) => packet::put(&mut out, &[b"ng ", name, b" ", why.as_bytes(), b"\n"]),
        }
    }
    out.extend_from_slice(packet::FLUSH);
    out
}

/// What a user reads of an error of ours.
fn failure(error: Error) -> String {
    match error {
        Error::Unavailable(text) if !text.is_empty() => text,
        Error::Unavailable(_) => "The service is busy. Try again later.".into(),
        Error::NotFound(_) => "The repository is gone.".into(),
        error => {
            tracing::error!(%error, "a push failed");
            "The push could not be taken. Try again later.".into()
        }
    }
}
