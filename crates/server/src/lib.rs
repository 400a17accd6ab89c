//! Servers: MCP, the studio, the language server.

pub mod http;
mod limits;
pub mod lsp;
pub mod mcp;
pub mod studio;
