import { tellBreaker } from '../db/breaker.ts'
import { ATTACHED, Attachment, Med } from '../db/entities/med.ts'
import { ALONE } from '../db/lock.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { ask, certain, heardAs, inTransactionAsking, type Question } from '../db/questions.ts'
import { ANALYSIS_MS, med as life, whyNotAnswerable } from '../domain/med.ts'
import type { MedReply, ReplyOutcome } from '../domain/med-facts.ts'
import type { MedOrder, MedReplyAnswer, MedReplyDetails, MedReplyOrder } from '../workflows/messages.ts'
import { announceMed, linksTo } from './announce.ts'
import { reach } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { type MedNow, nowOf } from './meds.ts'
import { moveMed } from './move.ts'

/** Whoever analyses the dispute may open its proofs on the last day. */
const READABLE_S = ANALYSIS_MS / 1_000

/** No call that tells a reply is under way after this long: Temporal gives one as much, and its requests far less. */
const CALL_MS = 60_000

/** The dispute under its row lock; null where a restore has lost it, which its workflow opens again. */
export async function findMedLocked(em: EntityManager, uuid: string): Promise<Med | null> {
  const med = await em.findOne(Med, uuid, ALONE)
  if (med) await em.populate(med, ['connection', 'movement'])
  return med
}

async function lockMed(em: EntityManager, uuid: string): Promise<Med> {
  const med = await findMedLocked(em, uuid)
  if (!med) throw new Error(`dispute ${uuid} has no row`)
  return med
}

/** Where a dispute stands; null where it was never opened. */
export function medNow({ orm }: Dependencies) {
  return async (uuid: string): Promise<MedNow | null> => {
    const em = orm.em.fork()
    const med = await em.findOne(Med, uuid)
    return med && ask(em, nowOf(med))
  }
}

/**
 * Takes a reply, once: the row moves to PROCESSING under its lock, with the proofs, before the provider is called.
 * Safe to repeat: by its request a reply that was taken is known again.
 */
export function takeMedReply({ orm, sealer }: Dependencies) {
  return ({ uuid, details, requestId }: MedReplyOrder & { uuid: string }): Promise<MedReplyAnswer> =>
    inTransaction(orm, async em => {
      const med = await findMedLocked(em, uuid)
      if (!med) return 'med_not_answerable'
      const { accept, analysis, attachments } = sealer.open<MedReplyDetails>(details)
      if (med.replyRequestId === requestId) return 'taken'
      const why = whyNotAnswerable({ ...med, replied: med.repliedAt != null })
      if (why) return why
      const at = new Date()
      Object.assign(med, { accept, analysis, repliedAt: at, replyState: 'wanted', replyRequestId: requestId })
      med.replies += 1
      med.replyFailure = null
      moveMed(med, 'replied', at)
      for (const [position, attachment] of attachments.entries())
        em.create(Attachment, {
          ...attachment,
          medUuid: uuid,
          reply: med.replies,
          position,
          createdAt: at,
        })
      return 'taken'
    })
}

export type ReplySent = MedNow & { kind: 'over' | 'again' }

/**
 * Tells the provider our reply. `again`: it may not have it, so it is asked and told once more; or another call is under
 * way, one that its life has given up and that still runs.
 */
export function sendMedReply(dependencies: Dependencies) {
  return async (order: MedOrder): Promise<ReplySent> => {
    const em = dependencies.orm.em.fork()
    const begun = await inTransactionAsking(dependencies.orm, tx => begin(tx, order.uuid))
    if ('kind' in begun) return begun
    const reply = await replyOf(dependencies, em, begun.med)
    const { connection, provider } = await reach(dependencies, em, order.connectionUuid)
    const outcome = await provider.replyMed(reply)
    await tellBreaker(em, connection, outcome)
    // A refusal may be of a repeat: that the dispute is still open there proves that no reply was taken.
    const found = isRefusal(outcome) ? await provider.findMed(nameOf(order)) : null
    const stillOpen = found?.kind === 'found' && found.med.status === 'open'
    return inTransactionAsking(dependencies.orm, async tx => {
      const med = await lockMed(tx, order.uuid)
      // One that took longer than any may has been followed by another, whose turn it is now.
      if (med.replyingUntil?.getTime() === begun.until.getTime()) med.replyingUntil = null
      if (med.replyState === 'wanted') {
        if (outcome.kind === 'accepted' || (found?.kind === 'found' && !stillOpen)) med.replyState = 'sent'
        if (stillOpen && outcome.kind === 'rejected') await refuse(tx, dependencies, med, outcome)
      }
      return standing(med, med.replyState === 'wanted' ? 'again' : 'over')
    })
  }
}

function nameOf({ providerMedId, endToEnd }: MedOrder) {
  return { id: providerMedId, endToEnd }
}

/** A definite no; that a provider takes no more requests for now says nothing of the reply. */
function isRefusal(outcome: ReplyOutcome): boolean {
  return outcome.kind === 'rejected' && outcome.code !== 'rate_limited'
}

/** The dispute can be answered again, and the merchant is told so. */
async function refuse(
  em: EntityManager,
  dependencies: Dependencies,
  med: Med,
  { code, message }: { code: string; message: string },
): Promise<void> {
  const at = new Date()
  Object.assign(med, { accept: null, analysis: null, repliedAt: null, replyState: null, replyingUntil: null })
  med.replyFailure = { code, message }
  if (!life.accepts(med.state, 'reply_refused')) return
  moveMed(med, 'reply_refused', at)
  await announceMed(em, med, { at, linkTo: linksTo(dependencies) })
}

function standing(med: Med, kind: ReplySent['kind']): Question<ReplySent> {
  return heardAs(nowOf(med), now => ({ kind, ...now }))
}

/** Lets one call tell the reply; where there is none to tell, or another call does, what stands now. */
async function begin(
  em: EntityManager,
  uuid: string,
): Promise<Question<{ med: Med; until: Date } | ReplySent>> {
  const med = await lockMed(em, uuid)
  const at = Date.now()
  if (med.replyState !== 'wanted') return standing(med, 'over')
  if (med.replyingUntil && med.replyingUntil.getTime() > at) return standing(med, 'again')
  const until = new Date(at + CALL_MS)
  med.replyingUntil = until
  return certain({ med, until })
}

async function replyOf({ storage }: Dependencies, em: EntityManager, med: Med): Promise<MedReply> {
  const attachments = await em.find(
    Attachment,
    { medUuid: med.uuid, reply: med.replies },
    { orderBy: ATTACHED },
  )
  return {
    id: med.providerMedId,
    endToEnd: med.endToEnd,
    accept: med.accept === true,
    analysis: med.analysis ?? '',
    attachments: await Promise.all(
      attachments.map(async ({ uuid, name, contentType, storageKey }) => ({
        uuid,
        name,
        contentType,
        url: await storage.link(storageKey, READABLE_S),
      })),
    ),
  }
}
