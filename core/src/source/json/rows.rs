//! The rows of a block: of each record the values that play a part.

use super::item::{item_size, typed};
use super::paths::{Found, Paths};
use super::scan::Value;
use super::shape::{Measure, Shape};
use super::text::unescaped;
use super::walk::{Layout, Place, Step, Walk};
use crate::error::Result;
use crate::source::Batch;
use crate::source::builders::{Builders, Fields, Text};
use crate::source::columns::Roles;
use crate::source::payload::{base64, base64_length};
use crate::source::whole::parse_whole;
use crate::tally::MISSING;
use arrow::buffer::Buffer;

/// What to take of each record, and how.
#[derive(Debug)]
pub(super) struct Plan {
    roles: Roles,
    shape: Shape,
    pub(super) layout: Layout,
    pub(super) envelope: Option<&'static str>,
    paths: Paths,
    measure: Measure,
}

impl Plan {
    pub(super) fn new(
        roles: Roles,
        shape: Shape,
        layout: Layout,
        envelope: Option<&'static str>,
    ) -> Self {
        let mut paths = Paths::new();
        for name in roles.names() {
            paths.add(spellings(shape, name).iter().map(String::as_str));
        }
        let measure =
            roles.taken.bytes.as_deref().map_or(Measure::Whole, |name| shape.measure(name));
        Self { roles, shape, layout, envelope, paths, measure }
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    pub(super) fn roles(&self) -> &Roles {
        &self.roles
    }

    /// The rows of a block that begins in the middle of `place`.
    pub(super) fn parse(&self, bytes: Vec<u8>, place: Place) -> Result<Batch> {
        let block = Buffer::from_vec(bytes);
        let mut builders = Builders::new(&self.roles, &block);
        let mut walk = Walk::new(&block, self.layout, self.envelope, place);
        let mut found = vec![Found::NOTHING; self.paths.len()];
        let mut broken = 0;
        loop {
            found.fill(Found::NOTHING);
            match walk.next(|scan| self.paths.find(scan, &mut found)) {
                Step::Record => {
                    let row = Row { plan: self, text: &block, found: &found };
                    if row.has_fine_key() {
                        builders.push(&self.roles, &row)?;
                    } else {
                        broken += 1;
                    }
                }
                Step::Broken => broken += 1,
                Step::CutShort => return builders.into_batch(&self.roles, broken + 1),
                Step::End => return builders.into_batch(&self.roles, broken),
            }
        }
    }

    /// One record that is broken, and no other.
    pub(super) fn broken(&self) -> Result<Batch> {
        Builders::new(&self.roles, &Buffer::from(&[])).into_batch(&self.roles, 1)
    }
}

/// The paths that `name` may stand for: of an export of `DynamoDB` an attribute.
pub(super) fn spellings(shape: Shape, name: &str) -> Vec<String> {
    let within = |member: &str| format!("{member}.{name}");
    match shape {
        // What a deletion has of an item is its old image, if that was exported.
        Shape::DynamoDbIncrement if name == shape.usual().size => {
            ["NewImage", "OldImage", "Keys"].map(str::to_owned).to_vec()
        }
        Shape::DynamoDbIncrement => {
            vec![within("Keys"), within("NewImage"), within("OldImage"), name.to_owned()]
        }
        Shape::DynamoDbExport if name != shape.usual().size => {
            vec![within("Item"), name.to_owned()]
        }
        _ => vec![name.to_owned()],
    }
}

/// What was found of one record.
struct Row<'a> {
    plan: &'a Plan,
    text: &'a [u8],
    found: &'a [Found],
}

impl<'a> Row<'a> {
    /// Whether the key is not a string with an escape that is none: such a record is no JSON.
    #[inline]
    fn has_fine_key(&self) -> bool {
        match self.found[self.plan.roles.key].value {
            Value::String(raw) if raw.escaped => {
                unescaped(&self.text[raw.start..raw.end]).is_some()
            }
            _ => true,
        }
    }

    #[inline]
    fn plain(&self, value: Value) -> Option<Text<'a>> {
        match value {
            Value::String(raw) if raw.escaped => {
                unescaped(&self.text[raw.start..raw.end]).map(Text::Unescaped)
            }
            Value::String(raw) => Some(Text::Whole(&self.text[raw.start..raw.end], raw.start)),
            Value::Word { start, end } => Some(Text::Whole(&self.text[start..end], start)),
            Value::Null | Value::Nested { .. } => None,
        }
    }
}

impl Fields for Row<'_> {
    #[inline]
    fn text(&self, column: usize) -> Option<Text<'_>> {
        let value = self.found[column].value;
        match value {
            Value::Nested { start, .. } if self.plan.shape.attributes().is_some() => {
                let (value, is_binary) = typed(self.text, start)?;
                let text = self.plain(value)?;
                if is_binary { base64(text.as_bytes()).map(Text::Unescaped) } else { Some(text) }
            }
            _ => self.plain(value),
        }
    }

    /// Of an event of Lambda, what stands before the colon of `shardId-000000000006:4959...`.
    fn shard(&self, column: usize) -> Option<Text<'_>> {
        match self.text(column)? {
            Text::Whole(text, at) if self.plan.shape == Shape::Lambda => {
                Some(Text::Whole(text.split(|&byte| byte == b':').next().unwrap_or(text), at))
            }
            text => Some(text),
        }
    }

    #[inline]
    fn size(&self, column: usize) -> i64 {
        let size = match self.plan.measure {
            Measure::Whole => {
                return parse_whole(self.text(column).as_ref().map(Text::as_bytes));
            }
            Measure::Base64 => self.text(column).map(|text| base64_length(text.as_bytes()) as u64),
            Measure::Length => match self.found[column].value {
                Value::Nested { start, end } => Some((end - start) as u64),
                value => Some(self.plain(value).map_or(0, |text| text.as_bytes().len() as u64)),
            },
            Measure::Item => match self.found[column].value {
                Value::Nested { start, .. } => item_size(self.text, start),
                _ => None,
            },
        };
        size.and_then(|size| i64::try_from(size).ok()).unwrap_or(MISSING)
    }
}
