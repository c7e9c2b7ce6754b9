import type { EntityManager } from '../../../db/client/orm.ts'
import { OperatorAction } from '../../../db/entities/operator-action.ts'
import { Pause } from '../../../db/entities/pause.ts'
import { listOpenAccountEntries } from '../../../db/repositories/account-entries.ts'
import { findProviderStatistics } from '../../../db/repositories/account-statistics.ts'
import { listConnectionHealth } from '../../../db/repositories/connection-health.ts'
import { listAdjustableConnections, listAdjustments } from '../../../db/repositories/ledger-adjustments.ts'
import {
  listContradictedOutcomes,
  listFailingWebhooks,
  listOpenDifferences,
  listStuckWorkflows,
  listUnexpectedSettlements,
  listUnknownOutcomes,
  listUnmatchedPayments,
  MAX_LISTED_ROWS,
} from '../../../db/repositories/operator-lists.ts'
import { listUnexplainedNames } from '../../../db/repositories/unexplained-answers.ts'
import { createPage } from '../../http/page.ts'
import type { DashboardRouter, PageContext } from '../../http/router.ts'
import { FORMATS } from '../../views/formats.ts'
import { renderShareBar } from '../../views/plots.ts'

export const OPERATOR_PATH = '/dashboard/operator'
const MAX_ACTIONS = 200

export const OPERATOR_PAGES = {
  async unknown({ em, form }: OperatorPageContext) {
    const rows = await listUnknownOutcomes(em.fork())
    const contradictions = await listContradictedOutcomes(em.fork())
    return createListPage('unknown', { rows, contradictions, typed: Object.fromEntries(form), moves: true })
  },
  stuck: async ({ em }: OperatorPageContext) =>
    createListPage('stuck', { rows: await listStuckWorkflows(em.fork()), moves: true }),
  async webhooks({ em, form }: OperatorPageContext) {
    const rows = await listFailingWebhooks(em.fork())
    return createListPage('webhooks', { rows, typed: Object.fromEntries(form) })
  },
  async unmatched({ em, form }: OperatorPageContext) {
    const rows = await listUnmatchedPayments(em.fork())
    return createListPage('unmatched', { rows, typed: Object.fromEntries(form) })
  },
  unexpected: async ({ em }: OperatorPageContext) =>
    createListPage('unexpected', { rows: await listUnexpectedSettlements(em.fork()) }),
  differences: async ({ em }: OperatorPageContext) =>
    createListPage('differences', { rows: await listOpenDifferences(em.fork()) }),
  async entries({ em, form, session }: OperatorPageContext) {
    const [entries, proposals, connections] = await Promise.all([
      listOpenAccountEntries(em.fork()),
      listAdjustments(em.fork(), { isOpen: true }),
      listAdjustableConnections(em.fork()),
    ])
    const model = { entries, proposals, connections, who: session.user.email }
    return createListPage('entries', { ...model, typed: Object.fromEntries(form) })
  },
  async providers({ em, form }: OperatorPageContext) {
    const pauses = await em.fork().find(Pause, {}, { orderBy: { createdAt: 'asc' } })
    const typed = Object.fromEntries(form)
    const rows = await listConnectionHealth(em.fork())
    return createListPage('providers', { rows, pauses: pauses.map(presentPause), typed })
  },
  async acts({ em }: OperatorPageContext) {
    const order = { orderBy: { at: 'desc' as const, uuid: 'desc' as const }, limit: MAX_ACTIONS }
    const rows = await em.fork().find(OperatorAction, {}, order)
    return createPage('operator/acts', {
      rows: rows.map(({ at, actor, action, subject, reason }) => ({ at, actor, action, subject, reason })),
    })
  },
}

type OperatorPageContext = Pick<PageContext, 'em' | 'form' | 'session'>

function createListPage(name: string, model: object) {
  return createPage(`operator/${name}`, model, `${OPERATOR_PATH}/${name}`)
}

export function registerOperatorPages({ get }: DashboardRouter): void {
  get('operator', OPERATOR_PATH, async ({ em, language }) => {
    const [counts, actions] = await Promise.all([
      countOperatorLists(em.fork()),
      findProviderStatistics(em.fork(), null),
    ])
    const format = FORMATS[language]
    const providers = actions.map(one => ({
      ...one,
      bar: one.success !== null && renderShareBar(one.success, format.percent(one.success)),
    }))
    return createPage('operator/overview', {
      counts: Object.entries(counts),
      most: MAX_LISTED_ROWS,
      providers,
      moves: true,
    })
  })
  for (const [name, show] of Object.entries(OPERATOR_PAGES)) get('operator', `${OPERATOR_PATH}/${name}`, show)
}

/** Counts the rows of each operator list, up to its limit. */
async function countOperatorLists(em: EntityManager): Promise<Record<string, number>> {
  const lists = {
    unknown: listUnknownOutcomes(em.fork()),
    stuck: listStuckWorkflows(em.fork()),
    webhooks: listFailingWebhooks(em.fork()),
    unexpected: listUnexpectedSettlements(em.fork()),
    unmatched: listUnmatchedPayments(em.fork()),
    differences: listOpenDifferences(em.fork()),
    entries: Promise.all([
      listOpenAccountEntries(em.fork()),
      listAdjustments(em.fork(), { isOpen: true }),
    ]).then(lists => lists.flat()),
    answers: listUnexplainedNames(em.fork()),
  }
  const counted = await Promise.all(
    Object.entries(lists).map(async ([name, rows]) => [name, (await rows).length] as const),
  )
  return Object.fromEntries(counted)
}

function presentPause({ uuid: pause, accountUuid, connectionUuid, reach, actor, reason, createdAt }: Pause) {
  const target = connectionUuid ? 'connection' : accountUuid ? 'account' : 'all'
  return { pause, target, uuid: connectionUuid ?? accountUuid ?? '', reach, actor, reason, createdAt }
}
