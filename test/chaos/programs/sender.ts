import { appendFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import { providerActivities } from '../../../src/activities/index.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import { openTestOrm } from '../../support/orm.ts'

/**
 * A process that makes one call, to be killed: its provider writes down the id of each payout or reply that reaches it,
 * and never answers. Arguments: the database, the file of the provider, the activity, and the provider's `preparation` of a
 * transfer: none, one that is never answered (`hanging`), or one that is answered. Its input comes as JSON on stdin once the
 * process has said that it is ready.
 */

const [databaseUrl, bank, activity, preparation] = process.argv.slice(2) as [string, string, string, string?]

const recordAndHang = ({ id }: { id: string }) => {
  appendFileSync(bank, `${id}\n`)
  process.stdout.write('called\n')
  return new Promise<never>(() => {})
}
const prepare = async (order: { id: string }) => {
  if (preparation === 'hanging') return recordAndHang(order)
  return { kind: 'prepared', handle: { ref: `prepared-by-${process.pid}` } }
}
const dependencies = {
  orm: await openTestOrm({ databaseUrl }),
  sealer: createSealer(`a:${Buffer.alloc(32, 7).toString('base64')}`),
  timeScale: 1,
  log: pino({ level: 'silent' }),
  providers: {
    providerFor: () => ({
      preconnect() {},
      ...(preparation && { prepareTransfer: prepare }),
      sendTransfer: recordAndHang,
      refund: recordAndHang,
      replyToDispute: recordAndHang,
    }),
  },
} as unknown as ActivityDependencies

process.stdout.write('ready\n')
const activities = providerActivities(dependencies) as unknown as Record<
  string,
  (input: unknown) => Promise<unknown>
>
await activities[activity]!(await json(process.stdin))
