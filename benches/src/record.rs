//! What a measurement must say besides its numbers: which CPU, compiler and commit.

use std::process::Command;

/// Where and of what a measurement was made.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The CPU by its model name, family and model.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// The compiler's version.
    pub rustc: String,
    /// The commit, `+` if files were changed since.
    pub commit: String,
}

impl Origin {
    /// Asks the system, the compiler and git; what cannot be found out is `unknown`.
    pub fn find() -> Self {
        let commit = first_line("git", &["rev-parse", "--short=12", "HEAD"]);
        let changed = first_line("git", &["status", "--porcelain", "--", "core", "benches/src"]);
        let is_clean = changed.is_none();
        Self {
            cpu: cpu().unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            rustc: first_line("rustc", &["--version"]).unwrap_or_else(unknown),
            commit: commit.map_or_else(unknown, |c| if is_clean { c } else { c + "+" }),
        }
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// The first line that a command prints, if it prints one.
fn first_line(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(str::to_owned)
}

/// The CPU as Linux names it, or else as macOS does.
fn cpu() -> Option<String> {
    let Ok(text) = std::fs::read_to_string("/proc/cpuinfo") else {
        return first_line("sysctl", &["-n", "machdep.cpu.brand_string"]);
    };
    let value = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = value("model name")?;
    match (value("cpu family"), value("model")) {
        (Some(family), Some(model)) => Some(format!("{name}, family {family} model {model}")),
        _ => Some(name),
    }
}
