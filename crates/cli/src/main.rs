//! The binary.

/// Requests make and drop many small things; this takes a fifth of the time that
/// the system's allocator takes for them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    muriel_cli::main()
}
