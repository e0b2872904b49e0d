//! The binary.

/// Requests make and drop many small values on two threads each: this allocator
/// does that in less time than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    muriel_cli::main()
}
