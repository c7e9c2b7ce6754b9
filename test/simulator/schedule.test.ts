import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import pino from 'pino'
import { createTaskSchedule } from '../../packages/simulator/schedule.ts'
import { openStore } from '../../packages/simulator/store.ts'
import { createTemporaryFolder } from '../support/servers.ts'

test('what became due because the clock was set forward is run with the next entry, in the order of its time', async () => {
  const folder = await createTemporaryFolder()
  const store = openStore(folder.path)
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const schedule = createTaskSchedule({ store, now, log: pino({ level: 'silent' }) })
  const done: string[] = []
  const all = Promise.withResolvers<void>()
  schedule.registerHandler('settle_refund', (name: string) => {
    if (done.push(name) === 2) all.resolve()
    return undefined
  })
  schedule.start()
  try {
    schedule.add({ task: 'settle_refund', input: 'earlier', afterMs: 60_000 })
    await sleep(50) // Its timer is set.
    aheadMs = 60_000
    schedule.add({ task: 'settle_refund', input: 'later', afterMs: 50 })
    await all.promise
    expect(done).toEqual(['earlier', 'later'])
  } finally {
    await schedule.stop()
    store.close()
    await folder.remove()
  }
}, 20_000)
