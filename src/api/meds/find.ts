import { ATTACHED, Attachment, Med } from '../../db/entities/med.ts'
import type { EntityManager } from '../../db/orm.ts'
import { med as life, type MedState } from '../../domain/med.ts'
import type { Storage } from '../../storage/storage.ts'
import { type MedsQuery, showAttachments, showMed } from '../../wire/med.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, newestFirst, pageOf } from '../pagination.ts'
import { visibleTo } from '../visible.ts'

const SHOWN = ['connection', 'movement'] as const

/** A dispute of the token's account and provider, or 404. */
export async function medOf(em: EntityManager, token: Token, uuid: string): Promise<Med> {
  const med = await em.findOne(Med, { $and: [{ uuid }, visibleTo(token)] }, { populate: [...SHOWN] })
  return med ?? refuse('not_found')
}

/** A dispute with links to its proofs, as GET shows it. */
export async function shown(em: EntityManager, storage: Storage, med: Med) {
  const [found] = await shownAll(em, storage, [med])
  return found!
}

/** One page of the disputes that a token sees, newest first. */
export async function listMeds(em: EntityManager, storage: Storage, token: Token, query: MedsQuery) {
  const [rows, total] = await em.findAndCount(
    Med,
    { $and: [visibleTo(token), wanted(query)] },
    { populate: [...SHOWN], ...newestFirst(query) },
  )
  return pageOf({ ...query, total, rows: await shownAll(em, storage, rows) })
}

/** The proofs of a whole page are found by one statement. */
async function shownAll(em: EntityManager, storage: Storage, meds: Med[]) {
  const uuids = meds.map(med => med.uuid)
  const attachments = await em.find(Attachment, { medUuid: { $in: uuids } }, { orderBy: ATTACHED })
  const byMed = Map.groupBy(attachments, ({ medUuid }) => medUuid)
  return Promise.all(
    meds.map(async med => {
      const own = byMed.get(med.uuid) ?? []
      return showMed(med, await showAttachments(own, ({ storageKey }) => storage.link(storageKey)))
    }),
  )
}

/** SPEC §1's filters; an absent one asks for nothing. */
function wanted(query: MedsQuery) {
  const created = daysBetween(query.date_from, query.date_to)
  const states = [
    query.status && life.states.filter(state => query.status?.includes(life.shows(state))),
    query.resolved !== undefined && life.states.filter(state => life.isOver(state) === query.resolved),
    query.open !== undefined && life.states.filter(state => isOpen(state) === query.open),
  ].filter(asked => asked !== false && asked !== undefined)
  return {
    ...(query.uuid !== undefined && { uuid: query.uuid }),
    ...(query.med_type && { kind: { $in: query.med_type } }),
    ...(query.dispute_type && { disputeType: { $in: query.dispute_type } }),
    ...(created && { createdAt: created }),
    $and: states.map(asked => ({ state: { $in: asked } })),
  }
}

/** Nobody has decided it yet. */
function isOpen(state: MedState): boolean {
  return ['PENDING', 'PROCESSING'].includes(life.shows(state))
}
