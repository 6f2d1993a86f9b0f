//! Measures the figures that shardlane promises, as ratios within one run.
#![forbid(unsafe_code)]

use arrow::array::{Array, StringArray};
use shardlane::lanes::Backend;
use shardlane::source::Batch;
use shardlane::{KeyColumn, ShardMap};
use shardlane_benches::keys::{self, Shape};
use shardlane_benches::pairs::{Contender, Median, Samples, measure};
use shardlane_benches::probe::{FLOOR, Probe};
use shardlane_benches::record::Origin;
use shardlane_benches::{baseline, maps, ours};
use std::fmt::Write;
use std::ops::Range;
use std::process::ExitCode;

const HELP: &str = "\
Measures the figures that shardlane promises, as ratios within one run.

usage: ratios [--csv OUT] [--rounds N] [--only PART]

--csv OUT    also write the table to OUT
--rounds N   rounds of each measurement; 192 if not said
--only PART  only hash, route, dictionary, threads or hot-keys
";

/// Keys of a column: enough that it comes from memory and not from a cache.
const ROWS: usize = 1 << 22;

/// Keys of one sample; a short sample is less often disturbed. Contenders take the pieces of a
/// column by turns, each another one at a time, so that none finds its keys in the cache.
const PIECE: usize = 1 << 16;

const SHARDS: usize = 1024;

/// What can be measured alone.
const PARTS: [&str; 5] = ["hash", "route", "dictionary", "threads", "hot-keys"];

/// What `approx_top_k(key, 10)` of `DuckDB` reaches on one thread, in M keys a second, on a
/// Zipf column and on distinct keys: SPEED.md section 6, another run on the same kind of CPU.
const DUCKDB: [f64; 2] = [25.0, 22.3];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut csv, mut rounds, mut only) = (None, 192, None);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--csv", Some(path)) => csv = Some(path),
            ("--rounds", Some(n)) if n.parse::<usize>().is_ok_and(|n| n > 0) => {
                rounds = n.parse().unwrap_or(rounds);
            }
            ("--only", Some(part)) if PARTS.contains(&part.as_str()) => only = Some(part),
            ("-h" | "--help", _) => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            _ => {
                eprint!("{HELP}");
                return ExitCode::from(2);
            }
        }
    }
    let mut run = Run { probe: Probe::default(), rounds, rows: Vec::new() };
    let wanted = |part: &str| only.as_ref().is_none_or(|only| only == part);
    if wanted("hash") {
        for shape in Shape::ALL {
            run.hashes(shape);
        }
    }
    if wanted("route") {
        run.routes(Shape::Fixed(16));
        run.routes(Shape::Mix);
    }
    if wanted("dictionary") {
        run.dictionary();
    }
    if wanted("threads") {
        run.threads(Shape::Fixed(16));
        run.threads(Shape::Mix);
    }
    if wanted("hot-keys") {
        run.hot_keys("zipf-1.1", &keys::zipf(1_000_000, 1.1, ROWS, 1), DUCKDB[0]);
        run.hot_keys("distinct", &keys::column(Shape::Fixed(20), ROWS, 1), DUCKDB[1]);
    }

    let origin = Origin::find();
    println!("{}", run.text(&origin));
    match csv.map(|path| std::fs::write(&path, run.csv(&origin)).map_err(|e| (path, e))) {
        Some(Err((path, error))) => {
            eprintln!("ratios: {path}: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// One figure: ours against another's.
struct Figure {
    /// Its path, such as `route/uneven/mix`.
    id: String,
    /// What ours is compared with.
    against: &'static str,
    /// Keys of a sample.
    keys: usize,
    ours: Samples,
    other: Samples,
    target: Target,
}

/// What a figure ought to be.
#[derive(Clone, Copy)]
enum Target {
    /// So many times as fast as the other.
    Times(f64),
    /// So many millions of keys a second.
    Rate(f64),
    /// Whatever it is; for information.
    Nothing,
}

/// All figures of one run.
struct Run {
    probe: Probe,
    rounds: usize,
    rows: Vec<Figure>,
}

/// A column in pieces.
struct Column {
    array: StringArray,
    pieces: Vec<Batch>,
    len: usize,
}

impl Column {
    fn new(array: StringArray) -> Self {
        let len = PIECE.min(array.len());
        let piece = |at| ours::batch(&array.slice(at * len, len));
        let pieces = (0..array.len() / len).map(piece).collect();
        Self { array, pieces, len }
    }

    /// The piece of contender `who` in a round.
    fn at(&self, round: usize, who: usize) -> usize {
        (round + who * 5) % self.pieces.len()
    }

    fn keys(&self, round: usize, who: usize) -> &KeyColumn {
        &self.pieces[self.at(round, who)].keys
    }

    fn rows(&self, round: usize, who: usize) -> Range<usize> {
        let at = self.at(round, who) * self.len;
        at..at + self.len
    }
}

impl Run {
    /// Measures contenders in one of `every` rounds: fewer of the samples that take longer say as
    /// much.
    fn measure<const N: usize>(
        &mut self,
        every: usize,
        contenders: [Contender<'_>; N],
    ) -> [Samples; N] {
        let rounds = self.rounds.div_ceil(every);
        let samples = measure(&mut self.probe, rounds, contenders.into());
        samples.try_into().unwrap_or_else(|_| unreachable!("one set of samples a contender"))
    }

    /// Route and tally of one shape, over even and over uneven ranges.
    fn routes(&mut self, shape: Shape) {
        let column = Column::new(keys::column(shape, ROWS, 1));
        let keys = column.len;
        let targets = if shape == Shape::Mix { [19.0, 17.0] } else { [23.0, 21.0] };
        for (ranges, map) in [("even", maps::even(SHARDS)), ("uneven", maps::uneven(SHARDS))] {
            eprintln!("route and tally, {ranges}, {shape}");
            check(&column.array, &map);
            let starts = &baseline::starts(&map);
            let router = &ours::router(map, 1);
            let (mut a, mut b) = (vec![0; keys], vec![0; keys]);
            let mut counted = ours::tally(router, 0);
            let mut counters = vec![[0; 2]; SHARDS];
            let [route, tally, other_route, other_tally] = self.measure(
                1,
                [
                    Contender::new("shardlane route", |round| {
                        ours::route(router, column.keys(round, 0), &mut a);
                    }),
                    Contender::new("shardlane tally", |round| {
                        let piece = &column.pieces[column.at(round, 1)];
                        ours::count(router, piece, &mut counted);
                    }),
                    Contender::new("md-5 + search", |round| {
                        baseline::route(&column.array, starts, column.rows(round, 2), &mut b);
                    }),
                    Contender::new("md-5 + search + counts", |round| {
                        baseline::tally(
                            &column.array,
                            starts,
                            column.rows(round, 3),
                            &mut counters,
                        );
                    }),
                ],
            );
            self.rows.push(Figure {
                id: format!("route/{ranges}/{shape}"),
                against: "md-5 + search",
                keys,
                ours: route,
                other: other_route,
                target: Target::Times(targets[0]),
            });
            self.rows.push(Figure {
                id: format!("tally/{ranges}/{shape}"),
                against: "md-5 + search + counts",
                keys,
                ours: tally,
                other: other_tally,
                target: Target::Times(targets[1]),
            });
        }
    }

    /// Hash alone of one shape.
    fn hashes(&mut self, shape: Shape) {
        let rows = match shape {
            Shape::Fixed(300) => ROWS / 8,
            Shape::Fixed(64) => ROWS / 4,
            _ => ROWS,
        };
        let target = match shape {
            Shape::Fixed(16) => Target::Times(19.0),
            Shape::Mix => Target::Times(17.0),
            _ => Target::Nothing,
        };
        let column = &Column::new(keys::column(shape, rows, 1));
        eprintln!("hash, {shape}");
        let keys = column.len;
        let (mut a, mut b) = (vec![0; keys], vec![0; keys]);
        let backend = Backend::detect();
        column.keys(0, 0).visit(ours::Prefixes { backend, out: &mut a });
        baseline::md5_prefixes(&column.array, column.rows(0, 0), &mut b);
        assert_eq!(a, b, "the same hashes as md-5");
        let [ours, other] = self.measure(
            1,
            [
                Contender::new("shardlane", |round| {
                    column.keys(round, 0).visit(ours::Prefixes { backend, out: &mut a });
                }),
                Contender::new("md-5", |round| {
                    baseline::md5_prefixes(&column.array, column.rows(round, 1), &mut b);
                }),
            ],
        );
        self.rows.push(Figure {
            id: format!("hash/{backend}/{shape}"),
            against: "md-5",
            keys,
            ours,
            other,
            target,
        });
    }

    /// A dictionary of 10,000 values against the same rows as plain text.
    fn dictionary(&mut self) {
        eprintln!("dictionary");
        let (dictionary, plain) = keys::dictionary(10_000, ROWS, 1);
        let (dictionary, plain) = (ours::keys(&dictionary), ours::keys(&plain));
        let router = &ours::router(maps::even(SHARDS), 1);
        let (mut a, mut b) = (vec![0; ROWS], vec![0; ROWS]);
        ours::route(router, &dictionary, &mut a);
        ours::route(router, &plain, &mut b);
        assert_eq!(a, b, "a dictionary is routed as its values");
        let [ours, other] = self.measure(
            4,
            [
                Contender::new("dictionary", |_| ours::route(router, &dictionary, &mut a)),
                Contender::new("plain", |_| ours::route(router, &plain, &mut b)),
            ],
        );
        self.rows.push(Figure {
            id: "dictionary/10000".to_owned(),
            against: "plain",
            keys: ROWS,
            ours,
            other,
            target: Target::Times(5.0),
        });
    }

    /// Two threads against one, on wall time.
    fn threads(&mut self, shape: Shape) {
        eprintln!("two threads, {shape}");
        let keys = 16 * PIECE;
        let column = ours::keys(&keys::column(shape, keys, 1));
        let [one, two] = [1, 2].map(|threads| ours::router(maps::even(SHARDS), threads));
        let (mut a, mut b) = (vec![0; keys], vec![0; keys]);
        let [ours, other] = self.measure(
            4,
            [
                Contender::on_wall("two threads", |_| ours::route(&two, &column, &mut a)),
                Contender::on_wall("one thread", |_| ours::route(&one, &column, &mut b)),
            ],
        );
        assert_eq!(a, b, "the same shards on any number of threads");
        self.rows.push(Figure {
            id: format!("threads/2/{shape}"),
            against: "one thread",
            keys,
            ours,
            other,
            target: Target::Times(1.8),
        });
    }

    /// The ten hottest keys, against the same tally without them.
    fn hot_keys(&mut self, name: &str, array: &StringArray, duckdb: f64) {
        eprintln!("hot keys, {name}");
        let batch = ours::batch(array);
        let router = &ours::router(maps::even(SHARDS), 1);
        let mut found = 0;
        let [ours, other] = self.measure(
            12,
            [
                Contender::new("top 10", |_| {
                    let mut tally = ours::tally(router, 10);
                    ours::count(router, &batch, &mut tally);
                    found = tally.hot_keys(10).len();
                }),
                Contender::new("no hot keys", |_| {
                    let mut tally = ours::tally(router, 0);
                    ours::count(router, &batch, &mut tally);
                }),
            ],
        );
        // Where no key stands out there may be none to name.
        assert!(found <= 10, "at most as many hot keys as asked for");
        self.rows.push(Figure {
            id: format!("tally/hot-keys/{name}"),
            against: "no hot keys",
            keys: ROWS,
            ours,
            other,
            target: Target::Rate(1.3 * duckdb),
        });
    }

    /// Each figure with the medians of its two sides.
    fn figures(&self) -> impl Iterator<Item = (&Figure, Median, Median)> {
        let floor = self.probe.floor();
        self.rows
            .iter()
            .map(move |figure| (figure, figure.ours.median(floor), figure.other.median(floor)))
    }

    fn text(&self, origin: &Origin) -> String {
        let mut text = String::new();
        let mut line = |line: std::fmt::Arguments<'_>| {
            text.write_fmt(line).and_then(|()| text.write_char('\n')).expect("a String grows");
        };
        let backend = Backend::detect();
        line(format_args!("cpu     {} ({} cores), back end {backend}", origin.cpu, origin.cores));
        line(format_args!("rustc   {}", origin.rustc));
        line(format_args!("commit  {}", origin.commit));
        line(format_args!(
            "probe   {} probes, vector operations a cycle: best {:.2}, median {:.2}, lowest {:.2}; \
             {:.0} % below {:.2} ({:.0} % of the best), their samples dropped",
            self.probe.count(),
            self.probe.best(),
            self.probe.quantile(0.5),
            self.probe.quantile(0.0),
            100.0 * self.probe.disturbed(),
            self.probe.floor(),
            100.0 * FLOOR,
        ));
        line(format_args!(
            "rounds  {}; columns of {ROWS} keys, {SHARDS} shards, one thread unless said\n",
            self.rounds
        ));
        line(format_args!(
            "{:<24} {:<24} {:>9} {:>9} {:>7} {:>9} {:>4}  {:>8} {:>8}",
            "figure", "against", "ours M/s", "other M/s", "ratio", "target", "met", "kept", "kept"
        ));
        for (figure, ours, other) in self.figures() {
            let (rate, other_rate) = (figure.rate(ours), figure.rate(other));
            let ratio = other.seconds / ours.seconds;
            let (target, met) = match figure.target {
                Target::Times(times) => (format!("{times:.1} x"), yes(ratio >= times)),
                Target::Rate(least) => (format!("{least:.1} M/s"), yes(rate >= least)),
                Target::Nothing => ("-".to_owned(), "-"),
            };
            line(format_args!(
                "{:<24} {:<24} {rate:>9.1} {other_rate:>9.2} {ratio:>7.2} {target:>9} {met:>4}  \
                 {:>8} {:>8}",
                figure.id,
                figure.against,
                ours.to_string(),
                other.to_string(),
            ));
        }
        line(format_args!(
            "\nkept: undisturbed samples of all; * fewer than {}, so all were used.",
            shardlane_benches::pairs::ENOUGH
        ));
        text
    }

    fn csv(&self, origin: &Origin) -> String {
        let mut text = String::from(
            "figure,against,ours_keys_per_second,other_keys_per_second,ratio,target_ratio,\
             target_keys_per_second,ours_kept,ours_samples,other_kept,other_samples,probe_best,\
             probe_median,probe_disturbed,cpu,rustc,commit\n",
        );
        for (figure, ours, other) in self.figures() {
            let (times, rate) = match figure.target {
                Target::Times(times) => (times.to_string(), String::new()),
                Target::Rate(rate) => (String::new(), format!("{:.0}", rate * 1e6)),
                Target::Nothing => (String::new(), String::new()),
            };
            writeln!(
                text,
                "{},{},{:.0},{:.0},{:.3},{times},{rate},{},{},{},{},{:.3},{:.3},{:.3},\"{}\",\"{}\",{}",
                figure.id,
                figure.against,
                figure.rate(ours) * 1e6,
                figure.rate(other) * 1e6,
                other.seconds / ours.seconds,
                ours.kept,
                ours.total,
                other.kept,
                other.total,
                self.probe.best(),
                self.probe.quantile(0.5),
                self.probe.disturbed(),
                origin.cpu,
                origin.rustc,
                origin.commit,
            )
            .expect("a String grows");
        }
        text
    }
}

impl Figure {
    /// Millions of keys a second.
    fn rate(&self, median: Median) -> f64 {
        self.keys as f64 / median.seconds / 1e6
    }
}

fn yes(met: bool) -> &'static str {
    if met { "yes" } else { "no" }
}

/// Checks the shards and the counts of some rows against md-5 and a binary search.
fn check(array: &StringArray, map: &ShardMap) {
    let some = array.slice(0, 10_000.min(array.len()));
    let starts = baseline::starts(map);
    let router = ours::router(map.clone(), 1);
    let (mut shards, mut expected) = (vec![0; some.len()], vec![0; some.len()]);
    ours::route(&router, &ours::keys(&some), &mut shards);
    baseline::route(&some, &starts, 0..some.len(), &mut expected);
    assert_eq!(shards, expected, "the same shards as md-5 and a search");
    let mut tally = ours::tally(&router, 0);
    ours::count(&router, &ours::batch(&some), &mut tally);
    let mut counters = vec![[0; 2]; map.len()];
    baseline::tally(&some, &starts, 0..some.len(), &mut counters);
    assert!(
        tally.totals().iter().map(|totals| [totals.records, totals.bytes]).eq(counters),
        "the same counts as by hand"
    );
}
