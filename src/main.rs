//! The program: arguments → surface → exit code.

fn main() -> std::process::ExitCode {
    formwork::cli::main()
}
