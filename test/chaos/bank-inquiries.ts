import { requestManualSettlement } from '../../src/admin/manual-settlement.ts'
import { PROVIDER_CAPABILITIES, type ProviderApi } from '../../src/domain/providers/provider.ts'
import { scaleWait, WAITS } from '../../src/domain/shared/intervals.ts'
import type { StackClients } from './stack-clients.ts'

/** Longer than a simulated bank takes to carry out what it has accepted, under any fault of a storm. */
const MAX_PROCESSING_MS = 30_000

/** Whether a lost answer about a transfer at an API may leave its outcome to an operator. */
function isOperated(api: ProviderApi): boolean {
  const { transferLookUp, keepsOrderIds } = PROVIDER_CAPABILITIES[api]
  return transferLookUp === 'repeat' && !keepsOrderIds
}

type UnknownTransfer = {
  uuid: string
  attempt: string
  sending: number
  dialect: ProviderApi
  account: string
  cents: number
}

/**
 * Does what an operator does about transfers whose outcome their provider cannot report any more: finds each in the
 * bank's statement by its amount, and settles it as sent, or as rejected where it is not there. To be called once every
 * provider answers; repeatable. Answers how many were settled.
 */
export async function settleUnknownTransfers(site: StackClients, timeScale: number): Promise<number> {
  const waitMs = Math.max(MAX_PROCESSING_MS, scaleWait(WAITS.repeatToFind, timeScale))
  const unknown = await site.sql<UnknownTransfer>(
    `select t.uuid, a.uuid as attempt, a.sendings as sending, c.dialect, p.name as account, t.value_cents::float as cents
     from attempt a join transfer t on t.uuid = a.subject_uuid
       join connection c on c.uuid = a.connection_uuid
       join provider_account p on p.uuid = a.provider_account_uuid
     where a.operation = 'transfer' and a.state = 'unknown' and a.sealed_handle is null
       and a.unknown_since < ?`,
    [new Date(Date.now() - waitMs)],
  )
  const transfers = unknown.filter(({ dialect }) => isOperated(dialect))
  if (transfers.length === 0) return 0
  const recorded = await site.sql<{ end_to_end: string }>(
    'select end_to_end from movement where end_to_end is not null',
  )
  const known = new Set(recorded.map(({ end_to_end }) => end_to_end))
  const unrecorded = (await site.simulator.listStatement()).filter(
    ({ kind, shown_id: id }) => kind === 'transfer' && id !== null && !known.has(id),
  )
  for (const { uuid, attempt, sending, account, cents } of transfers) {
    const found = unrecorded.findIndex(
      line => line.account === account && Math.round(line.value * 100) === cents,
    )
    const [line] = found === -1 ? [] : unrecorded.splice(found, 1)
    const seen = { attempt, sending, reason: `storm: ${line ? 'in the statement' : 'not in the statement'}` }
    const settlement = line
      ? ({ ...seen, as: 'settled', endToEnd: line.shown_id! } as const)
      : ({ ...seen, as: 'rejected' } as const)
    await site.temporal(client =>
      requestManualSettlement(
        { client: async () => client, taskQueue: site.local.task_queue, timeScale },
        site.orm.em.fork(),
        { noun: 'transfer', uuid, settlement, actor: 'storm' },
      ),
    )
  }
  return transfers.length
}
