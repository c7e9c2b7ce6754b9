/** Stands where a worker would, and does nothing until it is stopped. */
setInterval(() => {}, 60_000)
