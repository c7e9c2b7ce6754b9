import { randomUUID } from 'node:crypto'
import type { Sealer } from '../sealing.ts'
import {
  chargeId,
  medId,
  orphanId,
  pixKeyId,
  pixKeyRemovalId,
  refundId,
  returnId,
  transferId,
} from '../workflows/ids.ts'
import {
  type CreatedTransferRow,
  type IssuingChargeRow,
  reopenIssuing,
  reopenScheduled,
} from './reopen-orders.ts'
import { again, type Engine } from './start.ts'
import { tellCharge, tellMed, tellOrphan } from './tell.ts'

/**
 * The workflows of rows that move without one, reopened from their rows. They ask the providers and never issue or send; only
 * a transfer that waits for its time and was never sent goes on as ordered.
 */

export type MovingNoun = 'charge' | 'transfer' | 'refund' | 'return' | 'med' | 'pix_key' | 'orphan'

/** As much of a row as reopens its workflow; names as in PostgreSQL. */
export type MovingRow = {
  uuid: string
  account_uuid: string
  state: string
  connection_uuid: string
  /** As PostgreSQL writes it, to the microsecond. */
  created_at: string
  /** Of a transfer or a charge: the connections that it has an attempt through. */
  tried?: string[]
  /** Of a dispute. */
  provider_med_id?: string
  end_to_end?: string
  request_id?: string
}

const IDS: Record<MovingNoun, (uuid: string) => string> = {
  charge: chargeId,
  transfer: transferId,
  refund: refundId,
  return: returnId,
  med: medId,
  pix_key: pixKeyId,
  orphan: orphanId,
}

export function workflowIdOf(noun: MovingNoun, { uuid, state }: Pick<MovingRow, 'uuid' | 'state'>): string {
  return noun === 'pix_key' && state === 'removing' ? pixKeyRemovalId(uuid) : IDS[noun](uuid)
}

/**
 * False for what cannot be: a key that is being made had all of its order in its workflow, a PIX that waits to go back is
 * begun by a person, and the row of a waiting transfer whose workflow had ended is older than that end.
 */
export async function reopenMoving(
  engine: Engine,
  sealing: { sealer: Sealer },
  noun: MovingNoun,
  row: MovingRow,
): Promise<boolean> {
  const { uuid, state, connection_uuid: connectionUuid } = row
  const notice = { noticeUuid: randomUUID(), connectionUuid }
  switch (noun) {
    case 'charge':
      if (state === 'issuing') await reopenIssuing(engine, sealing, row as MovingRow & IssuingChargeRow)
      else await tellCharge(engine, uuid, notice)
      return true
    case 'transfer':
      if (state === 'created') return reopenCreated(engine, row as MovingRow & CreatedTransferRow)
      await reopenSending(engine, noun, row)
      return true
    case 'refund':
      await reopenSending(engine, noun, row)
      return true
    case 'return':
      if (state === 'held') return false
      await reopenSending(engine, noun, row)
      return true
    case 'med':
      await tellMed(
        engine,
        {
          ...{ uuid, connectionUuid, providerMedId: row.provider_med_id!, endToEnd: row.end_to_end! },
          requestId: row.request_id!,
        },
        notice,
      )
      return true
    case 'orphan':
      await tellOrphan(engine, uuid, notice)
      return true
    case 'pix_key':
      if (state !== 'removing') return false
      await startFrom(engine, 'pixKeyRemovalWorkflow', pixKeyRemovalId(uuid), { uuid })
      return true
  }
}

/**
 * A transfer without an accepted attempt. One that may have been sent is looked for: where no candidate knows it, it ends as
 * failed. One that waits, and whose workflow had ended, is left to the rebuild of the database.
 */
async function reopenCreated(engine: Engine, row: MovingRow & CreatedTransferRow): Promise<boolean> {
  if (await reopenScheduled(engine, row)) return true
  const isWaiting = row.scheduled_for !== null && new Date(row.scheduled_for) > new Date()
  if (isWaiting) return false
  await reopenSending(engine, 'transfer', row)
  return true
}

/** Everyone who may have the money is asked; it is followed where it is found, or ended where twice nobody knows it. */
export function reopenSending(
  engine: Engine,
  noun: 'transfer' | 'refund' | 'return',
  { uuid, connection_uuid: connectionUuid, created_at, tried = [] }: MovingRow,
): Promise<void> {
  const orderedAt = new Date(created_at).toISOString()
  const order =
    noun === 'return'
      ? { uuid, connectionUuid, goesOn: 'in_doubt', restored: { orderedAt } }
      : { resume: uuid, unfinished: { candidates: [...new Set([...tried, connectionUuid])], orderedAt } }
  return startFrom(engine, `${noun}Workflow`, IDS[noun](uuid), order)
}

/** One that runs after all goes on as it is. */
async function startFrom(engine: Engine, type: string, workflowId: string, order: object): Promise<void> {
  const client = await engine.client()
  await client.workflow.start(type, {
    ...again(engine, workflowId),
    args: [{ ...order, timeScale: engine.timeScale }],
  })
}
