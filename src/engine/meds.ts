import { createHash } from 'node:crypto'
import { WithStartWorkflowOperation } from '@temporalio/client'
import type { Med } from '../db/entities/med.ts'
import { uuidOfHash } from '../domain/identifiers.ts'
import { medId } from '../workflows/ids.ts'
import type { medWorkflow } from '../workflows/med.ts'
import { type MedReplyAnswer, type MedReplyOrder, replyMed } from '../workflows/messages.ts'
import { again, type Engine } from './start.ts'

/** Our uuid of a dispute that a provider names: always the same one, so that two notices at once are one life. */
export function medUuidOf(named: { providerAccountUuid: string; providerMedId: string }): string {
  const name = JSON.stringify(['med', named.providerAccountUuid, named.providerMedId])
  return uuidOfHash(createHash('sha256').update(name).digest())
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
