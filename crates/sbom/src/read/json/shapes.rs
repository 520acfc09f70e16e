//! Objects and lists that are handed over part by part.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// Who takes the fields of an object.
pub(super) trait Fields {
    /// The object is there; null is none.
    fn begin<E: Error>(&mut self) -> Result<(), E> {
        Ok(())
    }

    /// Takes the value of a field.
    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

/// Reads the value of a field of which nobody wants anything.
pub(super) fn ignore<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// An object at a place of the document.
pub(super) struct Object<'a, F> {
    pub fields: &'a mut F,
    pub path: String,
}

impl<'de, F: Fields> DeserializeSeed<'de> for Object<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: Fields> Visitor<'de> for Object<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str("an object"),
            path => write!(f, "an object as {path}"),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.fields.begin()?;
        while let Some(key) = map.next_key::<String>()? {
            self.fields.field(&key, &mut map)?;
        }
        Ok(())
    }
}

/// Who takes the items of a list.
pub(super) trait Items {
    /// Takes the next item, at this place; false where there is none.
    fn item<'de, A: SeqAccess<'de>>(
        &mut self, path: String, list: &mut A,
    ) -> Result<bool, A::Error>;
}

/// A list at a place of the document.
pub(super) struct List<'a, I> {
    pub items: &'a mut I,
    pub path: String,
}

impl<'de, I: Items> DeserializeSeed<'de> for List<'_, I> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, I: Items> Visitor<'de> for List<'_, I> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list as {}", self.path)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0;
        while self.items.item(format!("{}[{index}]", self.path), &mut list)? {
            index += 1;
        }
        Ok(())
    }
}

/// The first items of a list; what stands in place of one is none.
#[derive(Debug)]
pub(crate) struct Few<T>(pub Vec<T>);

/// Most items of a list within a component or the metadata.
const MAX_FEW: usize = 256;

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Few<T>, D::Error> {
        deserializer.deserialize_any(FewVisitor(std::marker::PhantomData))
    }
}

struct FewVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FewVisitor<T> {
    type Value = Few<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E: Error>(self) -> Result<Few<T>, E> {
        Ok(Few::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Few<T>, A::Error> {
        let mut few = Vec::new();
        while few.len() < MAX_FEW {
            match list.next_element()? {
                Some(item) => few.push(item),
                None => return Ok(Few(few)),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Few(few))
    }
}
