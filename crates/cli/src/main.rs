//! The binary.

fn main() -> std::process::ExitCode {
    muriel_cli::main()
}
