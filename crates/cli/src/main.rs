//! The `muriel` binary.

/// Requests make many small allocations, for which mimalloc is fast.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    muriel_cli::main()
}
