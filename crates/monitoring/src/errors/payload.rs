//! Parts of an event as SDKs send them, in all forms they have had.

use super::lenient::{Last, Lenient, Maybe, Scalar, Text, lenient};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, SeqAccess};

/// Exceptions of a chain that are read, the last ones.
const MAX_CHAIN: usize = 10;

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct LogEntry {
    pub message: Text,
    pub formatted: Text,
}

/// A text, or an object as `logentry` is.
#[derive(Default)]
pub struct Message(pub Option<LogEntry>);

lenient!(Message);

impl<'de> Lenient<'de> for Message {
    fn of_scalar(sent: Scalar) -> Message {
        let Scalar::Text(text) = sent else {
            return Message(None);
        };
        Message(Some(LogEntry { message: Text(Some(text)), formatted: Text(None) }))
    }

    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Message, A::Error> {
        Maybe::of_object(object).map(|Maybe(entry)| Message(entry))
    }
}

/// The last `MAX` calls of a stack, the outermost first.
#[derive(Default, Deserialize)]
#[serde(default, bound = "F: DeserializeOwned + Default")]
pub struct Trace<F, const MAX: usize> {
    frames: Last<Maybe<F>, MAX>,
}

impl<F, const MAX: usize> Trace<F, MAX> {
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = &F> {
        self.frames.0.iter().filter_map(|Maybe(one)| one.as_ref())
    }

    pub fn into_frames(self) -> Vec<F> {
        self.frames.into_objects()
    }
}

#[derive(Default, Deserialize)]
#[serde(default, bound = "F: DeserializeOwned + Default")]
pub struct Exception<F, const MAX: usize> {
    #[serde(rename = "type")]
    pub kind: Text,
    pub value: Text,
    pub stacktrace: Maybe<Trace<F, MAX>>,
}

impl<F, const MAX: usize> Exception<F, MAX> {
    pub fn is_told(&self) -> bool {
        self.kind.filled().is_some() || self.value.filled().is_some()
    }
}

/// `{"values": [...]}`, a bare list, or one exception alone. Causes come
/// first, so the last is the one that was raised.
#[derive(Default)]
pub struct Chain<F, const MAX: usize>(pub Vec<Exception<F, MAX>>);

lenient!([F: DeserializeOwned + Default, const MAX: usize] Chain<F, MAX>);

type Exceptions<F, const MAX: usize> = Last<Maybe<Exception<F, MAX>>, MAX_CHAIN>;

/// The forms an object may have.
#[derive(Default, Deserialize)]
#[serde(default, bound = "F: DeserializeOwned + Default")]
struct OneOrMany<F, const MAX: usize> {
    values: Exceptions<F, MAX>,
    #[serde(rename = "type")]
    kind: Text,
    value: Text,
    stacktrace: Maybe<Trace<F, MAX>>,
}

impl<'de, F: DeserializeOwned + Default, const MAX: usize> Lenient<'de> for Chain<F, MAX> {
    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        Exceptions::of_list(list).map(|all| Chain(all.into_objects()))
    }

    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        let sent = OneOrMany::deserialize(MapAccessDeserializer::new(object))?;
        let mut all = sent.values.into_objects();
        if all.is_empty() {
            all.push(Exception {
                kind: sent.kind,
                value: sent.value,
                stacktrace: sent.stacktrace,
            });
        }
        Ok(Chain(all))
    }
}
