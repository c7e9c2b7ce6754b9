/** A process that never waits, in short turns. */
const TURN_MS = 50

function runTurn() {
  const end = performance.now() + TURN_MS
  while (performance.now() < end);
  setImmediate(runTurn)
}
runTurn()
