//! Writes the JavaScript and the types of a WebAssembly module that `wasm-bindgen` has prepared.
//!
//! usage: manywire-bindgen MODULE FOLDER

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else {
        eprintln!("usage: manywire-bindgen MODULE FOLDER");
        return ExitCode::from(2);
    };
    let written = Bindgen::new().input_path(module).web(true).and_then(|bindgen| {
        bindgen.typescript(true).out_name("manywire").generate(folder)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
