import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { runDrill } from './drill.ts'
import { FAULTS } from './faults.ts'

/** A drill that is ended by its time limit leaves no process behind. */

test('a drill that is ended during a fault has stopped everything that it has started', async () => {
  const before = listChildren()
  const ending = new AbortController()
  const fault = FAULTS.find(({ name }) => name === 'stop-api-1s')!
  let during: number[] = []
  const drill = runDrill({
    faults: [
      {
        ...fault,
        async apply(stage) {
          const injected = await fault.apply(stage)
          during = listChildren()
          ending.abort()
          return injected
        },
      },
    ],
    seconds: 60,
    undisturbedSeconds: 2,
    signal: ending.signal,
  })
  await expect(drill).rejects.toThrow('aborted')
  expect(during.length).toBeGreaterThan(before.length + 2)
  expect(listChildren()).toEqual(before)
})

/** The processes that this one has started and that have not ended; without the `ps` that lists them. */
function listChildren(): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).trim().split('\n')
  return lines
    .map(line => line.trim().split(/\s+/))
    .filter(([, parent, command]) => Number(parent) === process.pid && command !== 'ps')
    .map(([pid]) => Number(pid))
}
