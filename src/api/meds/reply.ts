import { randomUUID } from 'node:crypto'
import { Attachment, Med } from '../../db/entities/med.ts'
import type { EntityManager } from '../../db/orm.ts'
import { whyNotAnswerable } from '../../domain/med.ts'
import { replyToMed } from '../../engine/meds.ts'
import type { Engine } from '../../engine/start.ts'
import type { Sealer } from '../../sealing.ts'
import type { MedReplyForm } from '../../wire/med-reply.ts'
import type { MedReplyAnswer, MedReplyDetails } from '../../workflows/messages.ts'
import type { Token } from '../auth.ts'
import { orNotConfirmed } from '../begin.ts'
import { requestDeadline } from '../deadline.ts'
import { notConfirmed, refuse } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED } from '../idempotency.ts'
import { REPLY_MS, STORED_BYTES_PER_MS } from '../limits.ts'
import { isOutage } from '../outage.ts'
import { medOf, shown } from './find.ts'
import { contentsOf, type Keeping, keepAll, type Proof, proofsOf, removeAll } from './proofs.ts'

export type Replying = Keeping & { engine: Engine; sealer: Sealer }
export type ReplyTo = { em: EntityManager; token: Token; uuid: string; idempotencyKey?: string | null }

/** SPEC §5: the token's own dispute that takes a reply, or has taken one under this very key: else 404 or 409. */
export async function answerableMed({ em, token, uuid, idempotencyKey }: ReplyTo): Promise<Med> {
  const med = await medOf(em, token, uuid)
  const replied = med.replyRequestId?.split(':')[0]
  if (idempotencyKey == null || replied !== keyed({ token, uuid, idempotencyKey })) requireAnswerable(med)
  return med
}

/**
 * Answers a dispute, once. The files are stored first, under keys of this reply alone; its life then takes them or
 * refuses them, and what it refuses is removed.
 */
export async function replyTo(replying: Replying, request: ReplyTo & { form: MedReplyForm }) {
  const { em, uuid, form } = request
  const med = await answerableMed({ ...request, em: em.fork() })
  const id = await replyIdOf(request)
  if (med.replyRequestId === id) return answerOf(replying, request, { headers: { ...REPLAYED } })
  // The key led to a dispute that it has answered, but with something else.
  if (med.replyRequestId?.split(':')[0] === id.split(':')[0]) refuse('idempotency_key_reused')
  const deadline = requestDeadline()
  deadline.waitsFor = 'temporal'
  await replying.engine.client() // Refuses here where Temporal is away: nothing has been stored yet.
  const files = form.attachments.map(({ file }) => file)
  const proofs = proofsOf(uuid, files)
  await keepInTime(replying, proofs)
  deadline.begins(uuid)
  return orNotConfirmed(uuid, async () => {
    const answer = await take(replying, { em, med, id, form, proofs })
    if (answer === 'unknown') notConfirmed(uuid)
    // Of calls with one key at once one has brought the files.
    const used = answer === 'taken' ? await em.fork().find(Attachment, { medUuid: uuid }) : []
    const usedKeys = new Set(used.map(({ storageKey }) => storageKey))
    await removeAll(
      replying,
      proofs.filter(({ storageKey }) => !usedKeys.has(storageKey)),
    )
    if (answer !== 'taken') refuse(answer)
    return answerOf(replying, request, { headers: {} })
  })
}

/** Stores the files while there is time to take the reply with them; what is stored later is removed. */
async function keepInTime(keeping: Keeping, proofs: Proof[]): Promise<void> {
  const deadline = requestDeadline()
  deadline.waitsFor = 'storage'
  deadline.extendBy(proofs.reduce((sum, { bytes }) => sum + bytes, 0) / STORED_BYTES_PER_MS)
  const kept = keepAll(keeping, proofs)
  try {
    await deadline.within(kept, REPLY_MS)
  } catch (error) {
    kept.then(
      () => removeAll(keeping, proofs),
      () => undefined, // It has removed them itself.
    )
    throw error
  }
}

/** What was taken, whatever has become of it since. */
async function answerOf(
  { storage }: Replying,
  { em: outside, token, uuid, form }: ReplyTo & { form: MedReplyForm },
  { headers }: { headers: Record<string, string> },
) {
  const em = outside.fork()
  const now = await shown(em, storage, await medOf(em, token, uuid))
  const data = { ...now, status: 'PROCESSING' as const, resolved: false, analysis: form.analysis }
  return { headers, body: { data } }
}

/**
 * What makes a reply the same one: its key and what it says; without a key none is. Never the caller's id of the request:
 * two replies may carry the same.
 */
async function replyIdOf({ token, uuid, idempotencyKey, form }: ReplyTo & { form: MedReplyForm }) {
  if (idempotencyKey == null) return randomUUID()
  const { accept, analysis, attachments } = form
  const files = await contentsOf(attachments.map(({ file }) => file))
  const fingerprint = fingerprintOf({
    body: { accept, analysis, files },
    connectionUuid: token.connectionUuid,
  })
  return `${keyed({ token, uuid, idempotencyKey })}:${fingerprint}`
}

function keyed(reply: { token: Token; uuid: string; idempotencyKey: string }): string {
  const path = `/api/v1/meds/${reply.uuid}/reply`
  return operationUuid({ by: reply.token, method: 'POST', path, key: reply.idempotencyKey })
}

type Taking = { em: EntityManager; med: Med; id: string; form: MedReplyForm; proofs: Proof[] }

/** `unknown`: the life was asked and its answer did not come; it may take the reply all the same, so its files stay. */
async function take(
  { engine, sealer, ...keeping }: Replying,
  { em, med, id, form, proofs }: Taking,
): Promise<MedReplyAnswer | 'unknown'> {
  const attachments = proofs.map(({ path: _, ...attachment }) => attachment)
  const details: MedReplyDetails = { accept: form.accept, analysis: form.analysis, attachments }
  try {
    const reply = {
      details: sealer.seal(details),
      requestId: id,
      updateId: id,
      waitMs: requestDeadline().stepMs(),
    }
    return await replyToMed(engine, med, reply)
  } catch (error) {
    const now = await em.fork().findOneOrFail(Med, med.uuid)
    if (now.replyRequestId === id) return 'taken'
    if (isOutage(error)) return 'unknown'
    // The life ended while it was asked, or there is a bug: either way it has not taken the reply.
    await removeAll(keeping, proofs)
    requireAnswerable(now)
    throw error
  }
}

function requireAnswerable(med: Med): void {
  const why = whyNotAnswerable({ ...med, replied: med.repliedAt != null })
  if (why) refuse(why)
}
