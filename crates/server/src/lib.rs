//! Front ends that serve: MCP, the studio, the language server.

pub mod http;
pub mod lsp;
pub mod mcp;
pub mod studio;
