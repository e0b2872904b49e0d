//! Generates the client from the document that `MURIEL_OPENAPI_30` names.

use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=MURIEL_OPENAPI_30");
    let path = env::var("MURIEL_OPENAPI_30")?;
    println!("cargo::rerun-if-changed={path}");
    let contract: openapiv3::OpenAPI = serde_json::from_str(&fs::read_to_string(path)?)?;
    let mut code = progenitor::Generator::default().generate_tokens(&contract)?.to_string();
    let names = contract.components.unwrap_or_default().schemas;
    let arms: String = names
        .keys()
        .map(|name| format!("            \"{name}\" => read_and_write::<types::{name}>(body),\n"))
        .collect();
    code += "\n/// Reads a value of the schema, and writes it.\n\
             pub fn rewrite(schema: &str, body: &str) -> Result<String, serde_json::Error> {\n    \
             match schema {\n";
    code += &arms;
    code += "            other => panic!(\"the contract has no schema {other}\"),\n    }\n}\n\n\
             fn read_and_write<T: serde::de::DeserializeOwned + serde::Serialize>(body: &str) -> Result<String, serde_json::Error> {\n    \
             serde_json::to_string(&serde_json::from_str::<T>(body)?)\n}\n";
    fs::write(format!("{}/client.rs", env::var("OUT_DIR")?), code)?;
    Ok(())
}
