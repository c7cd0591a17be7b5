//! Another compiler of `.proto` files: protox.

use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

/// The name of the compiled file.
pub(crate) const FILE: &str = "test.proto";

/// Compiles a file, which must be valid. It may import the files of Google.
pub(crate) fn compiled(text: &str) -> Compiler {
    struct One(String);
    impl FileResolver for One {
        fn open_file(&self, name: &str) -> Result<File, protox::Error> {
            match name {
                FILE => File::from_source(name, &self.0),
                _ => Err(protox::Error::file_not_found(name)),
            }
        }
    }
    let mut resolver = ChainFileResolver::new();
    resolver.add(One(text.to_owned()));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    compiler.include_imports(true);
    compiler.open_file(FILE).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    compiler
}
