//! The notation of function tables: Puppet's 4.x Ruby API in Rust.
//!
//! ```ignore
//! natives! {
//!     /// Returns the absolute value of a number.
//!     function "abs" {
//!         dispatch on_numeric(param "Numeric" val);
//!         dispatch on_string(param "String" val);
//!     }
//! }
//! ```
//!
//! After the parameters may follow `[block_param "Callable[1,1]" block]` and `-> "ReturnType"`; before the
//! dispatches `local_types { "Name = Type" }`; after them `argument_mismatch` entries of the same form.

/// A table of native functions, as the module's `NATIVES`.
macro_rules! natives {
    ($(
        $(#[doc = $doc:literal])+
        function $name:literal {
            $(local_types { $($local:literal),* $(,)? })?
            $(dispatch $body:ident ( $($arity:ident $ty:literal $param:ident),* $(,)? )
                $([ $($block:tt)* ])? $(-> $returns:literal)? ;)*
            $(argument_mismatch $on_error:ident ( $($marity:ident $mty:literal $mparam:ident),* $(,)? ) ;)*
        }
    )*) => {
        /// The functions of this group.
        pub(crate) static NATIVES: &[bunraku_vm::function::Native] = &[$(
            bunraku_vm::function::Native {
                name: $name,
                doc: concat!($($doc),+),
                local_types: &[$($($local),*)?],
                dispatches: &[$(
                    bunraku_vm::function::Dispatch {
                        params: &[$(natives!(@param $arity $ty $param)),*],
                        block: natives!(@block $($($block)*)?),
                        returns: natives!(@returns $($returns)?),
                        body: $body,
                    }
                ),*],
                mismatches: &[$(
                    bunraku_vm::function::Dispatch {
                        params: &[$(natives!(@param $marity $mty $mparam)),*],
                        block: None,
                        returns: None,
                        body: $on_error,
                    }
                ),*],
            }
        ),*];
    };
    (@param $arity:ident $ty:literal $param:ident) => {
        bunraku_vm::function::ParamSpec {
            ty: $ty,
            name: stringify!($param),
            arity: natives!(@arity $arity),
        }
    };
    (@arity param) => { bunraku_vm::function::Arity::Required };
    (@arity optional_param) => { bunraku_vm::function::Arity::Optional };
    (@arity repeated_param) => { bunraku_vm::function::Arity::Repeated };
    (@arity required_repeated_param) => { bunraku_vm::function::Arity::RequiredRepeated };
    (@block) => { None };
    (@block block_param) => { natives!(@block block_param "Callable" block) };
    (@block optional_block_param) => { natives!(@block optional_block_param "Callable" block) };
    (@block block_param $ty:literal $name:ident) => {
        Some(bunraku_vm::function::BlockSpec { ty: $ty, name: stringify!($name), optional: false })
    };
    (@block optional_block_param $ty:literal $name:ident) => {
        Some(bunraku_vm::function::BlockSpec { ty: $ty, name: stringify!($name), optional: true })
    };
    (@returns) => { None };
    (@returns $returns:literal) => { Some($returns) };
}
