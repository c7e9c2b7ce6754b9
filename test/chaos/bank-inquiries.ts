import { requestManualSettlement, StaleSettlement } from '../../src/admin/manual-settlement.ts'
import { Movement } from '../../src/db/entities/movement.ts'
import { PROVIDER_CAPABILITIES } from '../../src/domain/providers/capabilities.ts'
import type { ProviderApi } from '../../src/domain/providers/provider.ts'
import { scaleWait, WAITS } from '../../src/domain/shared/intervals.ts'
import type { StackClients } from './stack-clients.ts'

/** Longer than a simulated bank takes to carry out what it has accepted, under any fault of a storm. */
const MAX_PROCESSING_MS = 30_000

/**
 * Whether a lost answer of an API may leave an outcome to an operator. Inter finds a transfer by an id that the lost answer named, and no
 * refund or return of a PIX that paid no charge ("recebimentos que tiveram origem de um Pix Cobrança"). Sicoob finds no transfer to an
 * account without that id.
 */
function isOperated({ dialect, operation }: UnknownPayout): boolean {
  const { transferLookUp, keepsOrderIds } = PROVIDER_CAPABILITIES[dialect]
  if (transferLookUp === 'handle') return operation === 'transfer'
  return transferLookUp === 'repeat' && !keepsOrderIds
}

type UnknownPayout = {
  operation: 'transfer' | 'refund' | 'return'
  uuid: string
  attempt: string
  sending: number
  dialect: ProviderApi
  account: string
  /** Of a transfer. */
  cents: number | null
}

/**
 * Does what an operator does about payouts whose outcome their provider cannot report any more: finds each transfer in the bank's
 * statement by its amount, and settles it as sent, or as rejected where it is not there; settles a refund or return as rejected where the
 * account has none that is not recorded. To be called once every provider answers; repeatable. Answers how many were settled.
 */
export async function settleUnknownPayouts(site: StackClients, timeScale: number): Promise<number> {
  const waitMs = Math.max(MAX_PROCESSING_MS, scaleWait(WAITS.repeatToFind, timeScale))
  const unknown = await site.sql<UnknownPayout>(
    `select a.operation, a.subject_uuid as uuid, a.uuid as attempt, a.sendings as sending, c.dialect, p.name as account,
       t.value_cents::float as cents
     from attempt a left join transfer t on t.uuid = a.subject_uuid
       join connection c on c.uuid = a.connection_uuid
       join provider_account p on p.uuid = a.provider_account_uuid
     where a.operation in ('transfer', 'refund', 'return') and a.state = 'unknown' and a.sealed_handle is null
       and a.unknown_since < ?`,
    [new Date(Date.now() - waitMs)],
  )
  const payouts = unknown.filter(isOperated)
  if (payouts.length === 0) return 0
  // A PIX to the account itself has come in by the same id: only what went out is of a transfer.
  const sent = { movementType: 'OUT', endToEnd: { $ne: null } } as const
  const recorded = await site.orm.em.fork().find(Movement, sent, { fields: ['endToEnd'] })
  const known = new Set(recorded.map(({ endToEnd }) => endToEnd))
  const unrecorded = (await site.simulator.listStatement()).filter(
    ({ shown_id: id }) => id !== null && !known.has(id),
  )
  let settledCount = 0
  for (const { operation, uuid, attempt, sending, account, cents } of payouts) {
    const kind = operation === 'transfer' ? 'transfer' : 'refund'
    const candidates = unrecorded.filter(line => line.account === account && line.kind === kind)
    if (kind === 'refund' && candidates.length > 0) continue
    const line = candidates.find(({ value }) => Math.round(value * 100) === cents)
    if (line) unrecorded.splice(unrecorded.indexOf(line), 1)
    const seen = { attempt, sending, reason: `storm: ${line ? 'in the statement' : 'not in the statement'}` }
    const settlement = line
      ? ({ ...seen, as: 'settled', endToEnd: line.shown_id! } as const)
      : ({ ...seen, as: 'rejected' } as const)
    try {
      await site.temporal(client =>
        requestManualSettlement(
          { client: async () => client, taskQueue: site.local.task_queue, timeScale },
          site.orm.em.fork(),
          { noun: operation, uuid, settlement, actor: 'storm' },
        ),
      )
      settledCount += 1
    } catch (error) {
      // Its provider has answered meanwhile, so that there is nothing for an operator to settle.
      if (!(error instanceof StaleSettlement)) throw error
    }
  }
  return settledCount
}
