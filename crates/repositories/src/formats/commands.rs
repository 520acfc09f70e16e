//! What a push asks for (gitprotocol-pack, «Reference Update Request»): refs, each with
//! what it was and shall be, what the client understands, and options for the server.

use super::object_id::ObjectId;
use super::packet::Packet;
use super::ref_name::RefName;

/// Most refs of a push.
pub const MAX_COMMANDS: usize = 100_000;
/// Most options of a push, and most bytes of one.
const MAX_OPTIONS: usize = 100;
const MAX_OPTION: usize = 4096;
/// Most shallow commits that a client tells of.
const MAX_SHALLOW: usize = 100_000;

/// One ref that shall change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// As it was sent: a bad name is answered like this.
    pub sent_name: String,
    /// The name, unless it is none that a ref may have.
    pub name: Option<RefName>,
    /// What the client believes that it is; zero if it is to be made.
    pub old: ObjectId,
    /// What it shall be; zero if it is to go.
    pub new: ObjectId,
}

/// A push, but for its objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushRequest {
    pub commands: Vec<Command>,
    /// The client reads which refs changed.
    pub reports: bool,
    /// It reads messages beside.
    pub side_band: bool,
    /// All refs change, or none.
    pub atomic: bool,
    /// It shows no progress.
    pub quiet: bool,
    pub options: Vec<String>,
}

impl PushRequest {
    /// Whether objects follow, which they do not where refs are only deleted.
    pub fn has_objects(&self) -> bool {
        self.commands.iter().any(|command| !command.new.is_zero())
    }
}

/// What is wrong with a push, in words for its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPush(pub &'static str);

/// Reads a push packet by packet.
#[derive(Debug, Default)]
pub struct PushReader {
    request: PushRequest,
    wants_options: bool,
    shallow: usize,
    part: Part,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Commands,
    Options,
}

impl PushReader {
    /// Takes the next packet; the whole push once it has been told.
    pub fn take(&mut self, packet: &Packet) -> Result<Option<PushRequest>, BadPush> {
        let text = match packet {
            Packet::Flush => return Ok(self.end_part()),
            Packet::Data(_) => packet.text().unwrap_or_default(),
            _ => return Err(BadPush("the push has a packet that has no place there")),
        };
        match self.part {
            Part::Commands => self.take_command(text)?,
            Part::Options => self.take_option(text)?,
        }
        Ok(None)
    }

    fn end_part(&mut self) -> Option<PushRequest> {
        if self.part == Part::Commands && self.wants_options && !self.request.commands.is_empty() {
            self.part = Part::Options;
            return None;
        }
        Some(std::mem::take(&mut self.request))
    }

    fn take_command(&mut self, text: &[u8]) -> Result<(), BadPush> {
        if text.starts_with(b"shallow ") {
            self.shallow += 1;
            return bound(self.shallow, MAX_SHALLOW, "the push tells of too many shallow commits");
        }
        let (text, capabilities) = match text.iter().position(|byte| *byte == 0) {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, &[][..]),
        };
        if self.request.commands.is_empty() {
            self.take_capabilities(&String::from_utf8_lossy(capabilities))?;
        }
        self.request.commands.push(command(text)?);
        bound(self.request.commands.len(), MAX_COMMANDS, "the push changes too many refs")
    }

    fn take_capabilities(&mut self, text: &str) -> Result<(), BadPush> {
        for capability in text.split(' ') {
            match capability {
                "report-status" | "report-status-v2" => self.request.reports = true,
                "side-band-64k" => self.request.side_band = true,
                "atomic" => self.request.atomic = true,
                "quiet" => self.request.quiet = true,
                "push-options" => self.wants_options = true,
                "object-format=sha1" => {}
                other if other.starts_with("object-format=") => {
                    return Err(BadPush("this repository names its objects by SHA-1"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn take_option(&mut self, text: &[u8]) -> Result<(), BadPush> {
        bound(text.len(), MAX_OPTION, "an option of the push is too long")?;
        self.request.options.push(String::from_utf8_lossy(text).into_owned());
        bound(self.request.options.len(), MAX_OPTIONS, "the push has too many options")
    }
}

fn bound(count: usize, most: usize, said: &'static str) -> Result<(), BadPush> {
    match count <= most {
        true => Ok(()),
        false => Err(BadPush(said)),
    }
}

/// `OLD NEW NAME`.
fn command(text: &[u8]) -> Result<Command, BadPush> {
    const WRONG: BadPush = BadPush("a line of the push names no ref and objects");
    let text = std::str::from_utf8(text).map_err(|_| BadPush("names of refs must be UTF-8"))?;
    let mut parts = text.splitn(3, ' ');
    let mut id = || parts.next().and_then(|part| part.parse().ok()).ok_or(WRONG);
    let (old, new): (ObjectId, ObjectId) = (id()?, id()?);
    let sent_name = parts.next().filter(|name| !name.is_empty()).ok_or(WRONG)?.to_owned();
    Ok(Command { name: sent_name.parse().ok(), sent_name, old, new })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packet;
    use bytes::Bytes;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn read(lines: &[&str]) -> Result<Option<PushRequest>, BadPush> {
        let mut message = Vec::new();
        for line in lines {
            match *line {
                "" => message.extend_from_slice(packet::FLUSH),
                line => packet::put(&mut message, &[line.as_bytes()]),
            }
        }
        let mut reader = PushReader::default();
        for packet in packet::all(Bytes::from(message)).expect("good packets") {
            if let Some(request) = reader.take(&packet)? {
                return Ok(Some(request));
            }
        }
        Ok(None)
    }

    #[test]
    fn a_push_is_read() {
        let first = format!("{A} {B} refs/heads/main\0 report-status side-band-64k push-options");
        let second = format!("{A} {} refs/heads/a b", ObjectId::ZERO);
        let read = read(&[&first, &second, "", "ci.skip", ""]).unwrap().unwrap();
        assert!(read.reports && read.side_band && !read.atomic && read.has_objects());
        assert_eq!(read.options, ["ci.skip"]);
        let names: Vec<_> = read.commands.iter().map(|command| &command.sent_name).collect();
        assert_eq!(names, ["refs/heads/main", "refs/heads/a b"]);
        assert!(read.commands[0].name.is_some() && read.commands[1].name.is_none());
    }

    #[test]
    fn nothing_and_deletions_bring_no_objects() {
        assert_eq!(read(&[""]), Ok(Some(PushRequest::default())));
        let gone = format!("{A} {} refs/heads/x\0report-status", ObjectId::ZERO);
        assert!(!read(&[&gone, ""]).unwrap().unwrap().has_objects());
    }

    #[test]
    fn what_is_no_push_is_refused() {
        for line in ["hello", &format!("{A} {B}"), &format!("{A} {B} "), &format!("{A} x refs/a/b")]
        {
            assert!(read(&[line]).is_err(), "{line}");
        }
        let other = format!("{A} {B} refs/heads/x\0object-format=sha256");
        assert!(read(&[&other]).is_err());
    }
}
