//! Work that may wait, on a thread of its own.

/// Does something on a thread of its own, so that others are served meanwhile; `lost` says what is told where that came to nothing.
pub(super) async fn blocking<T: Send + 'static, E: Send + 'static>(
    act: impl FnOnce() -> Result<T, E> + Send + 'static,
    lost: impl FnOnce() -> E,
) -> Result<T, E> {
    tokio::task::spawn_blocking(act)
        .await
        .unwrap_or_else(|_| Err(lost()))
}
