import type { EntityManager } from '../../../db/client/orm.ts'
import { OperatorAction } from '../../../db/entities/operator-action.ts'
import { listOpenAccountEntries } from '../../../db/repositories/account-entries.ts'
import { findProviderStatistics } from '../../../db/repositories/account-statistics.ts'
import { listConnectionHealth } from '../../../db/repositories/connections.ts'
import { listAdjustableConnections, listAdjustments } from '../../../db/repositories/ledger-adjustments.ts'
import {
  listBalanceChecks,
  listClosedDifferences,
  listContradictedOutcomes,
  listFailingWebhooks,
  listOpenDifferences,
  listStuckWorkflows,
  listUnansweredDisputes,
  listUnexpectedSettlements,
  listUnknownOutcomes,
  listUnmatchedPayments,
  listWaitingContests,
  listWaitingNotifications,
  MAX_LISTED_ROWS,
} from '../../../db/repositories/operator-lists.ts'
import { listPauses } from '../../../db/repositories/pauses.ts'
import { listWorkers } from '../../../db/repositories/service-facts.ts'
import { listUnexplainedNames } from '../../../db/repositories/unexplained-answers.ts'
import { PROVIDER_NAMES } from '../../../domain/providers/provider.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { describeActSubjects } from './act-subjects.ts'
import { OPERATOR_PATH } from './operator-form.ts'
import { readProviderHealth } from './provider-health.ts'
import { readServiceState } from './signals.ts'

const MAX_ACTIONS = 100
const MAX_ACTS_ON_SUBJECT = 20
/** Most rows of a list on its page, which may have forms for each: the weight of a page is limited (docs/dashboard.md). */
const MAX_SHOWN_ROWS = 25

/** Lists that wait for an operator, over all accounts: one page each, and the overview counts their rows. */
const OPERATOR_LISTS = {
  unknown: listUnknownOutcomes,
  stuck: listStuckWorkflows,
  webhooks: listFailingWebhooks,
  unexpected: listUnexpectedSettlements,
  unmatched: listUnmatchedPayments,
  differences: listOpenDifferences,
  entries: async (em: EntityManager) => [
    ...(await listOpenAccountEntries(em)),
    ...(await listAdjustments(em, { isOpen: true })),
  ],
  answers: listUnexplainedNames,
}

type OperatorPageContext = Pick<PageContext, 'em' | 'session' | 'query' | 't' | 'f'>

export const OPERATOR_PAGES = {
  async unknown({ em }: OperatorPageContext) {
    const contradictions = await listContradictedOutcomes(em.fork())
    return renderOperatorList(em, 'unknown', { contradictions })
  },
  async stuck({ em }: OperatorPageContext) {
    return renderOperatorList(em, 'stuck', { notifications: await listWaitingNotifications(em.fork()) })
  },
  disputes: async ({ em }: OperatorPageContext) =>
    createOperatorPage('disputes', {
      rows: await listUnansweredDisputes(em.fork()),
      contests: await listWaitingContests(em.fork()),
    }),
  webhooks: ({ em }: OperatorPageContext) => renderOperatorList(em, 'webhooks'),
  unmatched: ({ em }: OperatorPageContext) => renderOperatorList(em, 'unmatched'),
  unexpected: ({ em }: OperatorPageContext) => renderOperatorList(em, 'unexpected'),
  async differences({ em, query }: OperatorPageContext) {
    const balances = await listBalanceChecks(em.fork())
    if (query.state !== 'closed') return renderOperatorList(em, 'differences', { balances, isClosed: false })
    const rows = await listClosedDifferences(em.fork())
    return createOperatorPage('differences', { rows, waiting: 0, balances, isClosed: true })
  },
  async entries({ em, session }: OperatorPageContext) {
    const [entries, proposals, connections] = await Promise.all([
      listOpenAccountEntries(em.fork()),
      listAdjustments(em.fork(), { isOpen: true }),
      listAdjustableConnections(em.fork()),
    ])
    return createOperatorPage('entries', { entries, proposals, connections, who: session.user.email })
  },
  async providers({ em, query }: OperatorPageContext) {
    const provider = PROVIDER_NAMES.find(name => name === query.provider) ?? null
    const pauses = await listPauses(em.fork())
    const rows = await listConnectionHealth(em.fork(), provider)
    const workers = await listWorkers(em.fork())
    return createOperatorPage('providers', { rows, workers, pauses, provider, providers: PROVIDER_NAMES })
  },
  async acts(visit: OperatorPageContext) {
    const { em } = visit
    const order = { orderBy: { at: 'desc' as const, uuid: 'desc' as const }, limit: MAX_ACTIONS }
    const acts = await em.fork().find(OperatorAction, { accountUuid: null }, order)
    const subjects = await describeActSubjects(
      visit,
      acts.map(({ subject }) => subject),
    )
    return createOperatorPage('acts', {
      rows: acts.map(({ at, actor, action, subject, reason }) => {
        const about = subjects.get(subject) ?? null
        return { at, actor, action, subject, about, reason }
      }),
    })
  },
}

/** Renders the oldest rows of a list; the others follow as these are settled. */
async function renderOperatorList(em: EntityManager, name: keyof typeof OPERATOR_LISTS, more?: object) {
  const rows = await OPERATOR_LISTS[name](em.fork())
  const shownRows = rows.slice(0, MAX_SHOWN_ROWS)
  return createOperatorPage(name, { rows: shownRows, waiting: rows.length - shownRows.length, ...more })
}

function createOperatorPage(name: string, model: object) {
  return createPage(`operator/${name}`, model, `${OPERATOR_PATH}/${name}`)
}

export function registerOperatorPages({ get }: DashboardRouter): void {
  get('operator', OPERATOR_PATH, async ({ em }) => {
    const [state, providerState, counts, providers] = await Promise.all([
      readServiceState(em),
      readProviderHealth(em),
      Promise.all(
        Object.entries(OPERATOR_LISTS).map(async ([name, list]) => [name, (await list(em.fork())).length]),
      ),
      findProviderStatistics(em.fork(), null),
    ])
    return createPage('operator/overview', {
      ...state,
      ...providerState,
      counts,
      most: MAX_LISTED_ROWS,
      providers,
    })
  })
  for (const [name, show] of Object.entries(OPERATOR_PAGES)) get('operator', `${OPERATOR_PATH}/${name}`, show)
}

/** Lists the latest acts of operators on one subject, the latest first. */
export async function listActsOnSubject(em: EntityManager, subject: string) {
  const order = { orderBy: { at: 'desc' as const }, limit: MAX_ACTS_ON_SUBJECT }
  const acts = await em.fork().find(OperatorAction, { subject }, order)
  return acts.map(({ at, actor, action, reason }) => ({ at, actor, action, reason }))
}
