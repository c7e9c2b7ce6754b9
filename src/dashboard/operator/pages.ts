import { openAccountEntries } from '../../db/account-entries.ts'
import { adjustments } from '../../db/adjustments.ts'
import { OperatorAct } from '../../db/entities/operator-act.ts'
import { Pause } from '../../db/entities/pause.ts'
import type { EntityManager } from '../../db/orm.ts'
import { unexplainedNames } from '../../db/unexplained.ts'
import type { Door, Visit } from '../door.ts'
import { FORMATS } from '../formats.ts'
import { page } from '../page.ts'
import { shareBar } from '../plots.ts'
import { providersDid } from '../statistics.ts'
import { connectionHealth } from './health.ts'
import {
  contradictions,
  deadWebhooks,
  MOST_SHOWN,
  openDifferences,
  stuckLives,
  unexpectedSettlements,
  unknownOutcomes,
  unmatchedPayments,
} from './watch.ts'

export const OPERATOR = '/dashboard/operator'
const MOST_ACTS = 200

/** What an operator looks at, over all accounts. */
export const OPERATOR_PAGES = {
  async unknown({ em, form }: Looking) {
    const told = {
      rows: await unknownOutcomes(em.fork()),
      contradictions: await contradictions(em.fork()),
      ...{ typed: Object.fromEntries(form), moves: true },
    }
    return page('operator/unknown', told, `${OPERATOR}/unknown`)
  },
  lives: async ({ em }: Looking) =>
    page('operator/lives', { rows: await stuckLives(em.fork()), moves: true }, `${OPERATOR}/lives`),
  async webhooks({ em, form }: Looking) {
    const told = { rows: await deadWebhooks(em.fork()), typed: Object.fromEntries(form) }
    return page('operator/webhooks', told, `${OPERATOR}/webhooks`)
  },
  async unmatched({ em, form }: Looking) {
    const told = { rows: await unmatchedPayments(em.fork()), typed: Object.fromEntries(form) }
    return page('operator/unmatched', told, `${OPERATOR}/unmatched`)
  },
  unexpected: async ({ em }: Looking) =>
    page('operator/unexpected', { rows: await unexpectedSettlements(em.fork()) }, `${OPERATOR}/unexpected`),
  differences: async ({ em }: Looking) =>
    page('operator/differences', { rows: await openDifferences(em.fork()) }, `${OPERATOR}/differences`),
  async providers({ em, form }: Looking) {
    const pauses = await em.fork().find(Pause, {}, { orderBy: { createdAt: 'asc' } })
    const typed = Object.fromEntries(form)
    const told = { rows: await connectionHealth(em.fork()), pauses: pauses.map(shownPause), typed }
    return page('operator/providers', told, `${OPERATOR}/providers`)
  },
  async acts({ em }: Looking) {
    const order = { orderBy: { at: 'desc' as const, uuid: 'desc' as const }, limit: MOST_ACTS }
    const rows = await em.fork().find(OperatorAct, {}, order)
    return page('operator/acts', {
      rows: rows.map(({ at, who, act, subject, reason }) => ({ at, who, act, subject, reason })),
    })
  },
}

type Looking = Pick<Visit, 'em' | 'form'>

export function operatorPages({ get }: Door): void {
  get('operator', OPERATOR, async ({ em, language }) => {
    const [counts, did] = await Promise.all([watchCounts(em.fork()), providersDid(em.fork(), null)])
    const format = FORMATS[language]
    const providers = did.map(one => ({
      ...one,
      bar: one.success !== null && shareBar(one.success, format.percent(one.success)),
    }))
    return page('operator/overview', {
      counts: Object.entries(counts),
      most: MOST_SHOWN,
      providers,
      moves: true,
    })
  })
  for (const [name, show] of Object.entries(OPERATOR_PAGES)) get('operator', `${OPERATOR}/${name}`, show)
}

/** How many of each wait for somebody, as far as they are listed. */
async function watchCounts(em: EntityManager): Promise<Record<string, number>> {
  const lists = {
    unknown: unknownOutcomes(em.fork()),
    lives: stuckLives(em.fork()),
    webhooks: deadWebhooks(em.fork()),
    unexpected: unexpectedSettlements(em.fork()),
    unmatched: unmatchedPayments(em.fork()),
    differences: openDifferences(em.fork()),
    entries: Promise.all([openAccountEntries(em.fork()), adjustments(em.fork(), { isOpen: true })]).then(
      lists => lists.flat(),
    ),
    answers: unexplainedNames(em.fork()),
  }
  const counted = await Promise.all(
    Object.entries(lists).map(async ([name, rows]) => [name, (await rows).length] as const),
  )
  return Object.fromEntries(counted)
}

function shownPause({ uuid: pause, accountUuid, connectionUuid, reach, who, reason, createdAt }: Pause) {
  const target = connectionUuid ? 'connection' : accountUuid ? 'account' : 'all'
  return { pause, target, uuid: connectionUuid ?? accountUuid ?? '', reach, who, reason, createdAt }
}
