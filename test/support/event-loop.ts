import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until this process has handled what other sockets of it have sent. Where the process stood still, a timer alone
 * fires before the events that arrived meanwhile; each turn of the event loop handles what has arrived.
 */
export async function handleArrivedEvents(): Promise<void> {
  await sleep(20)
  for (let turn = 0; turn < 50; turn++) await nextTurn()
}
