//! The options that say which column is what, and how keys are written.

#![expect(clippy::doc_markdown, reason = "what clap shows as help has no backticks")]

use crate::keys::{KeySerializer, Salt, SaltRule};
use crate::source::{Columns, TimeUnit, Wanted};
use clap::Args;

/// Which column is what.
#[derive(Debug, Args)]
pub(in crate::cli) struct ColumnNames {
    /// Column of the partition key; this and the other columns are guessed from their names if not
    /// given, and the report says which were
    #[arg(long, value_name = "COLUMN")]
    key: Option<String>,
    /// Column of payload sizes in bytes
    #[arg(long, value_name = "COLUMN")]
    bytes: Option<String>,
    /// Column of times; those without a zone are taken to be UTC
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Unit of times that are whole numbers since 1970: s, ms, us or ns
    #[arg(long, value_name = "UNIT")]
    time_unit: Option<TimeUnit>,
    /// Column that says how many records a row stands for
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// Column of explicit hash keys
    #[arg(long, value_name = "COLUMN")]
    explicit_hash_key: Option<String>,
    /// Column of the operations of DynamoDB requests, such as read, eventual-read, write or PutItem
    #[arg(long, value_name = "COLUMN")]
    pub(in crate::cli) operation_column: Option<String>,
    /// Column of the payloads themselves, as bytes or as text in base64: it tells the size, and the
    /// records that Amazon's producer library put into one are counted each by its own key
    #[arg(long, value_name = "COLUMN")]
    payload: Option<String>,
    #[command(flatten)]
    written: Written,
}

/// What a producer makes of a key before it is hashed.
#[derive(Debug, Args)]
pub(in crate::cli) struct Written {
    /// How producers write keys that are no text: long, integer, short, double, float, uuid, bytes
    /// or text
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) key_serializer: Option<KeySerializer>,
    /// Column that a salt is made from, which is put behind each key: key#bucket
    #[arg(long, value_name = "COLUMN", requires = "salt_buckets")]
    salt_by: Option<String>,
    /// Number of the salt's buckets
    #[arg(long, value_name = "N", requires = "salt_by", value_parser = clap::value_parser!(u32).range(1..))]
    salt_buckets: Option<u32>,
    /// How a value becomes a bucket: java, aws-suffix or md5
    #[arg(long, value_name = "RULE", default_value_t, requires = "salt_by")]
    salt_rule: SaltRule,
    /// What stands between a key and its bucket
    #[arg(long, value_name = "TEXT", default_value = "#", requires = "salt_by")]
    salt_separator: String,
}

impl Written {
    /// The salt and its column, if one is wanted.
    pub(in crate::cli) fn salt(&self) -> Option<(Salt, String)> {
        let (by, buckets) = (self.salt_by.clone()?, self.salt_buckets?);
        let separator = self.salt_separator.clone();
        Some((Salt { rule: self.salt_rule, buckets, separator }, by))
    }
}

impl ColumnNames {
    pub(in crate::cli) fn columns(&self) -> Columns {
        Columns {
            key: self.key.clone(),
            bytes: self.bytes.clone(),
            time: self.time.clone(),
            weight: self.weight.clone(),
            explicit_hash_key: self.explicit_hash_key.clone(),
            time_unit: self.time_unit,
            key_serializer: self.written.key_serializer,
            salt: self.written.salt(),
            operation: self.operation_column.clone(),
            payload: self.payload.clone(),
            shard: None,
            wanted: Wanted::All,
            ..Columns::default()
        }
    }
}
