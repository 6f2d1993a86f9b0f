//! Which column plays which part: as named, or guessed from the usual names.

mod role;

pub(super) use role::holds_text;

use super::{Columns, Taken, TimeUnit, Wanted};
use crate::error::{Error, Result};
use crate::keys::{KeyColumn, KeySerializer, Salt};
use arrow::datatypes::{DataType, Schema};
use role::Role;

/// Columns that an error lists before it says how many more there are.
const LISTED: usize = 30;

/// Whether any part is often played by a column of this name.
#[cfg(feature = "files")]
pub(super) fn is_usual(name: &str) -> bool {
    let is = |usual: &&str| name.eq_ignore_ascii_case(usual);
    Role::ALL.iter().any(|role| role.usual_names().iter().any(is))
}

#[cfg(feature = "files")]
impl Columns {
    /// The columns that are named.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        let salt_by = self.salt.as_ref().map(|(_, by)| by);
        [
            self.key.as_ref(),
            self.bytes.as_ref(),
            self.time.as_ref(),
            self.weight.as_ref(),
            self.explicit_hash_key.as_ref(),
            self.operation.as_ref(),
            self.shard.as_ref(),
            self.payload.as_ref(),
            salt_by,
        ]
        .into_iter()
        .flatten()
        .map(String::as_str)
    }
}

/// The columns of one schema by the part they play, as positions in it.
#[derive(Debug, Clone)]
pub(super) struct Roles {
    pub(super) taken: Taken,
    pub(super) key: usize,
    pub(super) bytes: Option<usize>,
    pub(super) time: Option<usize>,
    pub(super) weight: Option<usize>,
    pub(super) explicit_hash_key: Option<usize>,
    pub(super) salt_by: Option<usize>,
    pub(super) operation: Option<usize>,
    pub(super) shard: Option<usize>,
    pub(super) payload: Option<usize>,
    pub(super) key_serializer: Option<KeySerializer>,
    pub(super) salt: Option<Salt>,
    pub(super) time_unit: Option<TimeUnit>,
    pub(super) wanted: Wanted,
}

/// What to do with a part that no column is named for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unnamed {
    /// Look for a column with a usual name.
    Guess,
    /// Look for one, and else for a dotted path that ends in a usual name. What a number within an
    /// object counts is not known, so that none is taken for a weight.
    #[cfg(feature = "files")]
    GuessWithin,
    /// Look for one of the key or the explicit hash key only: the others the format tells.
    #[cfg(feature = "files")]
    GuessKey,
    /// Leave it out, as an earlier file of the same log did.
    LeaveOut,
}

/// Gives the columns of `schema` their parts. `input` is what errors call the data.
///
/// # Errors
/// `InvalidInput` if a column that is named is missing or there twice, or if none is named or
/// guessed for the key; `UnsupportedType` if a named
/// column's type cannot play its part.
pub(super) fn assign(
    schema: &Schema,
    columns: &Columns,
    unnamed: Unnamed,
    input: &str,
) -> Result<Roles> {
    let assignment = Assignment { schema, input, serializer: columns.key_serializer };
    let salt_by = columns.salt.as_ref().map(|(_, by)| by.clone());
    let named = [
        (Role::Key, &columns.key),
        (Role::Bytes, &columns.bytes),
        (Role::Time, &columns.time),
        (Role::Weight, &columns.weight),
        (Role::ExplicitHashKey, &columns.explicit_hash_key),
        (Role::Salt, &salt_by),
        (Role::Operation, &columns.operation),
        (Role::Shard, &columns.shard),
        (Role::Payload, &columns.payload),
    ];
    let mut guessed = Vec::new();
    let [key, bytes, time, weight, explicit_hash_key, salt_by, operation, shard, payload] = named
        .map(|(role, name)| match name {
            Some(name) => assignment.named(role, name).map(Some),
            None if !role.is_wanted(columns.wanted) => Ok(None),
            None if unnamed != Unnamed::LeaveOut => match assignment.guess(role, &named, unnamed) {
                Some(index) => {
                    let name = schema.field(index).name();
                    guessed.push(name.clone());
                    // By name, so that one that is there twice is an error here too.
                    assignment.named(role, name).map(Some)
                }
                None => Ok(None),
            },
            None => Ok(None),
        });
    let (bytes, time, weight, explicit_hash_key) = (bytes?, time?, weight?, explicit_hash_key?);
    let (salt_by, operation, shard, payload) = (salt_by?, operation?, shard?, payload?);
    let key = key?.ok_or_else(|| assignment.no_key())?;
    let name = |index: usize| schema.field(index).name().clone();
    Ok(Roles {
        taken: Taken {
            key: name(key),
            bytes: bytes.map(name),
            time: time.map(name),
            weight: weight.map(name),
            explicit_hash_key: explicit_hash_key.map(name),
            salt: salt_by.map(name),
            operation: operation.map(name),
            shard: shard.map(name),
            payload: payload.map(name),
            guessed,
        },
        key,
        bytes,
        time,
        weight,
        explicit_hash_key,
        salt_by,
        operation,
        shard,
        payload,
        key_serializer: columns.key_serializer,
        salt: columns.salt.as_ref().map(|(salt, _)| salt.clone()),
        time_unit: columns.time_unit,
        wanted: columns.wanted,
    })
}

#[cfg(feature = "files")]
impl Roles {
    /// The names of the columns taken, each once.
    pub(super) fn names(&self) -> Vec<&str> {
        let taken = &self.taken;
        let optional = [
            &taken.bytes,
            &taken.time,
            &taken.weight,
            &taken.explicit_hash_key,
            &taken.salt,
            &taken.operation,
            &taken.shard,
            &taken.payload,
        ];
        let mut names = vec![taken.key.as_str()];
        names.extend(optional.into_iter().flatten().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The same choice by name, for the next file of several: it has to have all of them.
    pub(super) fn as_columns(&self) -> Columns {
        let taken = self.taken.clone();
        Columns {
            key: Some(taken.key),
            bytes: taken.bytes,
            time: taken.time,
            weight: taken.weight,
            explicit_hash_key: taken.explicit_hash_key,
            key_serializer: self.key_serializer,
            salt: self.salt.clone().zip(taken.salt),
            operation: taken.operation,
            shard: taken.shard,
            payload: taken.payload,
            time_unit: self.time_unit,
            wanted: self.wanted,
            ..Columns::default()
        }
    }

    /// The same columns in another schema that has them all.
    pub(super) fn within(&self, schema: &Schema) -> Result<Self> {
        let find = |name: &String| Ok::<_, Error>(schema.index_of(name)?);
        let optional = |name: &Option<String>| name.as_ref().map(find).transpose();
        let taken = &self.taken;
        Ok(Self {
            key: find(&taken.key)?,
            bytes: optional(&taken.bytes)?,
            time: optional(&taken.time)?,
            weight: optional(&taken.weight)?,
            explicit_hash_key: optional(&taken.explicit_hash_key)?,
            salt_by: optional(&taken.salt)?,
            operation: optional(&taken.operation)?,
            shard: optional(&taken.shard)?,
            payload: optional(&taken.payload)?,
            ..self.clone()
        })
    }
}

/// A schema whose columns are being given parts.
struct Assignment<'a> {
    schema: &'a Schema,
    input: &'a str,
    serializer: Option<KeySerializer>,
}

impl Assignment<'_> {
    /// The position of the column called `name`.
    fn named(&self, role: Role, name: &str) -> Result<usize> {
        let mut places =
            (0..self.schema.fields().len()).filter(|&at| self.schema.field(at).name() == name);
        let Some(index) = places.next() else {
            return Err(self.missing(role, name));
        };
        if places.next().is_some() {
            return Err(Error::input(format!(
                "{} has more than one column \"{name}\", so that it is unclear which is the {}; \
                 rename one of them",
                self.input,
                role.noun()
            )));
        }
        let kind = self.schema.field(index).data_type();
        if let (Role::Key, Some(serializer)) = (role, self.serializer) {
            if !serializer.takes(kind) {
                return Err(self.unfit(role, name, kind).with("key serializer", serializer));
            }
            return Ok(index);
        }
        if !role.takes(kind) {
            return Err(self.unfit(role, name, kind));
        }
        if matches!(role, Role::Key | Role::ExplicitHashKey) {
            KeyColumn::check_field(self.schema.field(index))
                .map_err(|error| error.with("data", self.input))?;
        }
        Ok(index)
    }

    /// A column with a usual name for `role`, that can play it and is not named for another part.
    fn guess(
        &self,
        role: Role,
        named: &[(Role, &Option<String>)],
        unnamed: Unnamed,
    ) -> Option<usize> {
        let free = |name: &str| named.iter().all(|(_, named)| named.as_deref() != Some(name));
        let find = |part: fn(&str) -> &str| {
            role.usual_names().iter().find_map(|usual| {
                self.schema.fields().iter().position(|field| {
                    part(field.name()).eq_ignore_ascii_case(usual)
                        && free(field.name())
                        && match (role, self.serializer) {
                            (Role::Key, Some(serializer)) => serializer.takes(field.data_type()),
                            _ => role.is_likely(field.data_type()),
                        }
                })
            })
        };
        let may_be_within = match unnamed {
            #[cfg(feature = "files")]
            Unnamed::GuessWithin => role != Role::Weight,
            #[cfg(feature = "files")]
            Unnamed::GuessKey if !matches!(role, Role::Key | Role::ExplicitHashKey) => return None,
            _ => false,
        };
        find(|name| name).or_else(|| if may_be_within { find(last_part) } else { None })
    }

    fn missing(&self, role: Role, name: &str) -> Error {
        let advice = match self.nearest(name) {
            Some(near) => format!("did you mean {}?", role.named(near)),
            None => format!("type {} and one of them", role.option()),
        };
        Error::input(format!(
            "column \"{name}\" is not in {}; its columns are: {}; {advice}",
            self.input,
            self.list(|_| true)
        ))
    }

    fn unfit(&self, role: Role, name: &str, kind: &DataType) -> Error {
        let fit = self.list(|kind| role.takes(kind));
        let others = if fit.is_empty() { String::new() } else { format!(": {fit}") };
        let write = if kind.is_nested() {
            "write what it stands for to a column of its own".to_owned()
        } else {
            format!("write this one as such, in SQL: CAST(\"{name}\" AS {})", role.sql())
        };
        Error::unsupported(format!(
            "the {} column \"{name}\" of {} is {kind}, but {}; name another column with {}{others}, \
             or {write}",
            role.noun(),
            self.input,
            role.needs(),
            role.option()
        ))
    }

    fn no_key(&self) -> Error {
        let text = (0..self.schema.fields().len())
            .map(|at| self.schema.field(at))
            .find(|field| holds_text(field.data_type()));
        let example = text.map_or_else(
            || "none of them is text".to_owned(),
            |field| format!("name it, for example with {}", Role::Key.named(field.name())),
        );
        let usual = Role::Key.usual_names().join(", ");
        Error::input(format!(
            "which column of {} is the partition key? No column of text has a usual name ({usual}); \
             its columns are: {}; {example}",
            self.input,
            self.list(|_| true)
        ))
    }

    /// The names of the columns whose type `fits`, as many as one can read.
    fn list(&self, fits: impl Fn(&DataType) -> bool) -> String {
        let fields = self.schema.fields();
        let names: Vec<_> = fields
            .iter()
            .filter(|field| fits(field.data_type()))
            .map(|field| field.name().as_str())
            .collect();
        match names.get(..LISTED) {
            Some(first) if names.len() > LISTED => {
                format!("{} and {} more", first.join(", "), names.len() - LISTED)
            }
            _ => names.join(", "),
        }
    }

    /// The column whose name is most like `name`, if one is at all.
    fn nearest(&self, name: &str) -> Option<&str> {
        let wanted = name.to_lowercase();
        let likeness = |field: &str| strsim::normalized_damerau_levenshtein(&wanted, field);
        self.schema
            .fields()
            .iter()
            .map(|field| (field.name().as_str(), likeness(&field.name().to_lowercase())))
            .filter(|(_, likeness)| *likeness >= 0.5)
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(name, _)| name)
    }
}

/// What stands behind the last dot of a path.
fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
