//! The names of objects: SHA-1, in hexadecimal digits.

use std::fmt;
use std::str::FromStr;
use store::{FromValue, IntoValue, Type, Value};

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId([u8; 20]);

impl ObjectId {
    /// What stands for «no object» where a ref is made or deleted.
    pub const ZERO: ObjectId = ObjectId([0; 20]);

    pub fn from_bytes(bytes: [u8; 20]) -> ObjectId {
        ObjectId(bytes)
    }

    pub fn bytes(self) -> [u8; 20] {
        self.0
    }

    pub fn is_zero(self) -> bool {
        self == ObjectId::ZERO
    }

    /// The object, unless this stands for none.
    pub fn present(self) -> Option<ObjectId> {
        (!self.is_zero()).then_some(self)
    }
}

/// The text is no name of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoObjectId;

impl FromStr for ObjectId {
    type Err = NoObjectId;

    fn from_str(text: &str) -> Result<ObjectId, NoObjectId> {
        let is_lower = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let mut bytes = [0; 20];
        match text.len() == 40 && text.bytes().all(is_lower) {
            true => hex::decode_to_slice(text, &mut bytes).map_err(|_| NoObjectId)?,
            false => return Err(NoObjectId),
        }
        Ok(ObjectId(bytes))
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 40];
        hex::encode_to_slice(self.0, &mut digits).map_err(|_| fmt::Error)?;
        f.write_str(std::str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl IntoValue for ObjectId {
    const TYPE: Type = <String as IntoValue>::TYPE;

    fn into_value(self) -> Value {
        self.to_string().into_value()
    }
}

impl FromValue for ObjectId {
    fn from_value(value: Value) -> store::Result<ObjectId> {
        let text = String::from_value(value)?;
        let wrong = |NoObjectId| store::Error::Type { what: format!("{text:?} is no object") };
        text.parse().map_err(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_forty_small_digits_name_an_object() {
        let name = "00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee";
        assert_eq!(name.parse::<ObjectId>().map(|id| id.to_string()), Ok(name.to_owned()));
        assert_eq!(ObjectId::ZERO.to_string(), "0".repeat(40));
        assert_eq!(ObjectId::ZERO.present(), None);
        for wrong in
            [&name[1..], &name.to_uppercase(), "", &name.replace('f', "g"), &"é".repeat(20)]
        {
            assert_eq!(wrong.parse::<ObjectId>(), Err(NoObjectId), "{wrong}");
        }
    }
}
