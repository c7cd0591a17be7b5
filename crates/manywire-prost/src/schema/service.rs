use prost_types::ServiceDescriptorProto;

use super::field::is_identifier;
use super::file::Writer;
use super::names::join;
use super::{Result, invalid};

impl Writer<'_> {
    pub(super) fn service(&mut self, service: &ServiceDescriptorProto, path: &[i32]) -> Result<()> {
        let name = service.name();
        if !is_identifier(name) {
            return invalid("service", format_args!("{name:?} is no name"));
        }
        let scope = &join(self.package, name);
        self.blank();
        self.comments.write(path, 0, &mut self.out);
        self.line(0, format_args!("service {name} {{"));
        for (index, method) in (0..).zip(&service.method) {
            if !is_identifier(method.name()) {
                return invalid(scope, format_args!("{:?} is no name", method.name()));
            }
            let side = |is_stream: bool, name: &str| {
                let stream = if is_stream { "stream " } else { "" };
                format!("({stream}{})", self.names.relative(name, scope, self.package))
            };
            let taken = side(method.client_streaming(), method.input_type());
            let given = side(method.server_streaming(), method.output_type());
            self.comments.write(&[path, &[2, index]].concat(), 1, &mut self.out);
            self.line(1, format_args!("rpc {}{taken} returns {given};", method.name()));
        }
        self.line(0, format_args!("}}"));
        Ok(())
    }
}
