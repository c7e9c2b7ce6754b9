/** Preloaded by `--import`: ends this process once the process in TEST_PARENT_PID, which started it, has ended. */
const parent = Number(process.env.TEST_PARENT_PID)
const CHECK_INTERVAL_MS = 500

function endIfOrphaned() {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}
endIfOrphaned()
setInterval(endIfOrphaned, CHECK_INTERVAL_MS).unref()
