import { appendFileSync } from 'node:fs'
import { pino } from 'pino'
import type { Dependencies } from '../../../src/activities/dependencies.ts'
import { providerActivities } from '../../../src/activities/index.ts'
import { openOrm } from '../../../src/db/orm.ts'
import type { Engine } from '../../../src/engine/start.ts'
import { sealer } from '../../../src/sealing.ts'

/**
 * A process that makes one call, to be killed: its bank writes down the id of each order or reply that reaches it, and never
 * answers.
 * Arguments: the database, the file of the bank, the activity, its input as JSON.
 */

const [databaseUrl, bank, activity, input] = process.argv.slice(2) as [string, string, string, string]

const takes = ({ id }: { id: string }) => {
  appendFileSync(bank, `${id}\n`)
  process.stdout.write('called\n')
  return new Promise<never>(() => {})
}
const dependencies = {
  orm: await openOrm({ databaseUrl }),
  sealer: sealer(`a:${Buffer.alloc(32, 7).toString('base64')}`),
  timeScale: 1,
  log: pino({ level: 'silent' }),
  providers: { providerFor: () => ({ openAhead() {}, sendTransfer: takes, refund: takes, replyMed: takes }) },
} as unknown as Dependencies

process.stdout.write('ready\n')
const activities = providerActivities(dependencies, {} as Engine) as unknown as Record<
  string,
  (input: unknown) => Promise<unknown>
>
await activities[activity]!(JSON.parse(input))
