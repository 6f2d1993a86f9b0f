//! The `shardlane` command; what it does is in [`shardlane::cli`].

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn main() -> ExitCode {
    let stopped = Arc::new(AtomicBool::new(false));
    // The first Ctrl-C asks for an end; the flag that it sets makes the second one end the process.
    // Should the handlers not take, Ctrl-C ends the process at once, as it does without them.
    let signal = signal_hook::consts::SIGINT;
    let _ = signal_hook::flag::register_conditional_default(signal, stopped.clone());
    let _ = signal_hook::flag::register(signal, stopped.clone());
    let stop = || stopped.load(Ordering::Relaxed);
    let code = shardlane::cli::run_until(std::env::args_os(), &stop);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
