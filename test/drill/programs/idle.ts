/** Replaces a worker, and does nothing until it is stopped. */
setInterval(() => {}, 60_000)
