import { createHash } from 'node:crypto'
import { WithStartWorkflowOperation } from '@temporalio/client'
import type { Med } from '../db/entities/med.ts'
import { medId } from '../workflows/ids.ts'
import type { medWorkflow } from '../workflows/med.ts'
import { type MedReplyAnswer, type MedReplyOrder, replyMed } from '../workflows/messages.ts'
import { again, type Engine } from './start.ts'

/**
 * Our uuid of a dispute that a provider names: always the same one, so that two notices at once are one life
 * (RFC 9562 §5.8: 122 bits of the hash, version 8, variant 10).
 */
export function medUuidOf(named: { providerAccountUuid: string; providerMedId: string }): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(['med', named.providerAccountUuid, named.providerMedId]))
    .digest()
  hash[6] = (hash[6]! & 0x0f) | 0x80
  hash[8] = (hash[8]! & 0x3f) | 0x80
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export type MedReplyRequest = MedReplyOrder & {
  /** Of one request: repeated, it is the same reply and hears the same. */
  updateId: string
  waitMs: number
}

/**
 * Answers a dispute, waking its life where none runs; resolves when the reply is taken or cannot be. Taken means that
 * the row shows PROCESSING, in the same transaction that stores reply and attachments; only then is the provider told.
 */
export async function replyToMed(
  engine: Engine,
  med: Med,
  { details, requestId, updateId, waitMs }: MedReplyRequest,
): Promise<MedReplyAnswer> {
  const client = await engine.client()
  const { uuid, providerMedId, endToEnd } = med
  const start = new WithStartWorkflowOperation<typeof medWorkflow>('medWorkflow', {
    ...again(engine, medId(uuid)),
    args: [
      {
        uuid,
        providerMedId,
        endToEnd,
        connectionUuid: med.connection.uuid,
        requestId: med.requestId,
        timeScale: engine.timeScale,
      },
    ],
  })
  return client.withDeadline(Date.now() + waitMs, () =>
    client.workflow.executeUpdateWithStart(replyMed, {
      args: [{ details, requestId }],
      updateId,
      startWorkflowOperation: start,
    }),
  )
}
