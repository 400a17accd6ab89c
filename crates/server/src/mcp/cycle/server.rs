//! The task server: the registry and its connections until shutdown.

use std::io;
use std::sync::Arc;

use super::cycle_handler::{CycleHandler, cycle_tools};
use super::cycle_service::CycleService;
use super::task_registry::TaskRegistry;
use crate::mcp::connections::connections;
use crate::mcp::server::Served;
use fsmsim_syntax::diagnostic::Checked;

/// Serves tasks until the only connection closes or the process receives a shutdown signal. Resumes the saved tasks of
/// an earlier server process.
pub fn serve_cycle(mut service: CycleService) -> Checked<io::Result<Served>> {
    let limits = service.limits;
    let access = service.access.take();
    let registry = TaskRegistry::open(service)?;
    let tools = match cycle_tools() {
        Ok(tools) => Arc::new(tools),
        Err(why) => return Ok(Err(io::Error::other(why))),
    };
    let handlers = Arc::clone(&registry);
    let served = connections(access, limits, move || CycleHandler {
        registry: Arc::clone(&handlers),
        tools: Arc::clone(&tools),
    });
    Ok(served.map(|connections| Served {
        connections,
        traces: registry.close(),
    }))
}
