import { acceptSecondFactor } from '../../../src/admin/second-factor.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import { openTestOrm } from '../../support/orm.ts'

/** A process of its own that accepts codes of a second factor, one per message, and answers whether it did. */

export type CodeOrder = { userUuid: string; code: string }

const [databaseUrl, secretKeys] = process.argv.slice(2) as [string, string]
const orm = await openTestOrm({ databaseUrl, poolSize: 1 })
const sealer = createSealer(secretKeys)
await orm.em.execute('select 1')
process.on('message', async (order: CodeOrder) => {
  process.send!((await acceptSecondFactor(orm.em.fork(), sealer, order)) !== null)
})
process.send!('ready')
