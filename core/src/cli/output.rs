//! Where results go: standard output, or a file that is not one of the inputs.

use super::Failure;
use crate::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A place to write to. It remembers when nobody reads on, which is no failure but an end.
#[derive(Debug)]
pub(super) struct Output {
    target: Target,
    name: String,
    closed: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Target {
    Stdout(BufWriter<io::Stdout>),
    File(BufWriter<File>),
}

impl Output {
    /// Opens `path`, or standard output.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let (target, name) = match path.filter(|path| path.as_os_str() != "-") {
            None => (Target::Stdout(BufWriter::new(io::stdout())), "standard output".to_owned()),
            Some(path) => {
                let name = path.display().to_string();
                let file = File::create(path)
                    .map_err(|error| Error::io(format!("{name} cannot be written: {error}")))?;
                (Target::File(BufWriter::new(file)), name)
            }
        };
        Ok(Self { target, name, closed: Arc::default() })
    }

    /// Writes all of `text` and is done.
    pub(super) fn finish_with(self, text: &str) -> Result<(), Failure> {
        self.finish(|out| out.write_all(text.as_bytes()))
    }

    fn finish(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let done = write(&mut self).and_then(|()| self.flush());
        done.map_err(|error| {
            let name = &self.name;
            self.closing().failure(Error::io(format!("{name} cannot be written: {error}")))
        })
    }

    /// Writes all of `text` and is done. A reader that has left is no failure: who reads only the
    /// first lines still gets the verdict.
    pub(super) fn print(self, text: &str) -> Result<(), Failure> {
        self.print_with(|out| out.write_all(text.as_bytes()))
    }

    /// The same for what `write` writes.
    pub(super) fn print_with(
        self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match self.finish(write) {
            Ok(()) | Err(Failure::Closed) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// What tells, after the output has been handed on, whether a failure to write to it was only
    /// that nobody reads on.
    pub(super) fn closing(&self) -> Closing {
        Closing(self.closed.clone())
    }

    fn noticed<T>(&self, done: io::Result<T>) -> io::Result<T> {
        if done.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            self.closed.store(true, Ordering::Relaxed);
        }
        done
    }
}

/// Whether an output's reader is gone.
#[derive(Debug, Clone)]
pub(super) struct Closing(Arc<AtomicBool>);

impl Closing {
    /// What a failure to write really is.
    pub(super) fn failure(&self, error: Error) -> Failure {
        if self.0.load(Ordering::Relaxed) { Failure::Closed } else { Failure::Run(error) }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = match &mut self.target {
            Target::Stdout(stdout) => stdout.write(bytes),
            Target::File(file) => file.write(bytes),
        };
        self.noticed(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = match &mut self.target {
            Target::Stdout(stdout) => stdout.flush(),
            Target::File(file) => file.flush(),
        };
        self.noticed(done)
    }
}

/// Checks, before anything is read, that no output would overwrite an input or another output, and
/// that each has a folder to go to.
pub(super) fn check_apart(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Failure> {
    let of_input = |path: &&Path| {
        let is_standard = path.as_os_str() == "-";
        Identity::of(if is_standard { Path::new("/dev/stdin") } else { path })
    };
    let mut taken: Vec<Identity> = inputs.iter().filter_map(of_input).collect();
    for output in outputs.iter().filter(|path| path.as_os_str() != "-") {
        let Some(identity) = Identity::of(output) else {
            return Err(Failure::Run(Error::io(format!(
                "{} cannot be written: there is no such folder",
                output.display()
            ))));
        };
        if taken.contains(&identity) && !is_device(output) {
            return Err(Failure::Usage(Error::input(format!(
                "{} would overwrite another file of this command; type another name for the output",
                output.display()
            ))));
        }
        taken.push(identity);
    }
    Ok(())
}

/// What a file is known by, whatever its names.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// Device and number, which all names of a file share.
    #[cfg(unix)]
    File { device: u64, number: u64 },
    /// The real path, of a file that is yet to be made, and where files have no numbers.
    Path(PathBuf),
}

impl Identity {
    /// `None` if there is neither the file nor a folder for it.
    fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        if let Ok(about) = path.metadata() {
            use std::os::unix::fs::MetadataExt;
            return Some(Self::File { device: about.dev(), number: about.ino() });
        }
        let real = path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            Some(folder.unwrap_or(Path::new(".")).canonicalize().ok()?.join(path.file_name()?))
        });
        real.map(Self::Path)
    }
}

/// Whether writing to it overwrites nothing, as with a terminal.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| !about.is_file())
}
