use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use super::standard::newtype_variants;
use crate::{Node, NodeId, ShapeBuilder, Shaped};

// Text for people; for binary formats serde writes the octets, and an enum where there are two
// kinds of address. A port stands beside its address; scope and flow of IPv6 are not written.
macro_rules! addresses {
    ($($ty:ty => $binary:expr;)*) => {$(
        impl Shaped for $ty {
            fn node(builder: &mut ShapeBuilder) -> NodeId {
                if builder.is_human_readable() {
                    return builder.add(Node::Str);
                }
                let binary: fn(&mut ShapeBuilder) -> NodeId = $binary;
                binary(builder)
            }
        }
    )*};
}

addresses! {
    Ipv4Addr => <[u8; 4]>::node;
    Ipv6Addr => <[u8; 16]>::node;
    IpAddr => |builder| {
        newtype_variants::<IpAddr>(builder, "IpAddr", &[
            ("V4", Ipv4Addr::node),
            ("V6", Ipv6Addr::node),
        ])
    };
    SocketAddrV4 => <(Ipv4Addr, u16)>::node;
    SocketAddrV6 => <(Ipv6Addr, u16)>::node;
    SocketAddr => |builder| {
        newtype_variants::<SocketAddr>(builder, "SocketAddr", &[
            ("V4", SocketAddrV4::node),
            ("V6", SocketAddrV6::node),
        ])
    };
}
