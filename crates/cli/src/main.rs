//! The binary.

/// Requests make and drop many small things, which this one is quick at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    muriel_cli::main()
}
