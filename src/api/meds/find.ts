import { ATTACHED, Attachment, Med } from '../../db/entities/med.ts'
import type { EntityManager } from '../../db/orm.ts'
import { type Condition, textArray, where } from '../../db/where.ts'
import { med as life, type MedState } from '../../domain/med.ts'
import type { Storage } from '../../storage/storage.ts'
import { type MedsQuery, showAttachments, showMed } from '../../wire/med.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, NEWEST_FIRST, offsetOf, pageOf } from '../pagination.ts'
import { seenBy, visibleTo } from '../visible.ts'

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
  const { sql, values } = where(...seenBy(token), ...wanted(query))
  const [page, [counted]] = await Promise.all([
    em.execute<{ uuid: string }[]>(
      `select uuid from med where ${sql} order by created_at desc, uuid desc limit ? offset ?`,
      [...values, query.per_page, offsetOf(query)],
    ),
    em.execute<{ total: string }[]>(`select count(*) as total from med where ${sql}`, values),
  ])
  const total = Number(counted!.total)
  const rows = await em.find(
    Med,
    { uuid: { $in: page.map(({ uuid }) => uuid) } },
    { populate: [...SHOWN], orderBy: NEWEST_FIRST },
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
function wanted(query: MedsQuery): Condition[] {
  const created = daysBetween(query.date_from, query.date_to)
  const among = (states: MedState[]): Condition => ['state = any(?::text[])', textArray(states)]
  return [
    query.uuid !== undefined && ['uuid = ?', query.uuid],
    query.med_type && ['kind = any(?::text[])', textArray(query.med_type)],
    query.dispute_type && ['dispute_type = any(?::text[])', textArray(query.dispute_type)],
    created?.$gte && ['created_at >= ?', created.$gte],
    created?.$lt && ['created_at < ?', created.$lt],
    query.status && among(life.states.filter(state => query.status?.includes(life.shows(state)))),
    query.resolved !== undefined && among(life.states.filter(state => life.isOver(state) === query.resolved)),
    query.open !== undefined && among(life.states.filter(state => isOpen(state) === query.open)),
  ]
}

/** Nobody has decided it yet. */
function isOpen(state: MedState): boolean {
  return ['PENDING', 'PROCESSING'].includes(life.shows(state))
}
