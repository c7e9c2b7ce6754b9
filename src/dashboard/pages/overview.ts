import type { CallerToken } from '../../api/authorization/authenticate.ts'
import { visibilityConditions } from '../../api/authorization/visibility.ts'
import { listCharges } from '../../api/operations/charges.ts'
import { listLastDays } from '../../contract/shared/time-zone.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import {
  type DailyVolume,
  findAccountCounts,
  findDailyVolumes,
  findProviderStatistics,
  findUnknownPayouts,
  MAX_PLOTTED_DAYS,
  type PlottedDay,
} from '../../db/repositories/account-statistics.ts'
import { countAccountTasks } from '../../db/repositories/account-tasks.ts'
import { readListCounter } from '../../db/repositories/list-counters.ts'
import { findOnboardingFacts } from '../../db/repositories/onboarding.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import type { PayoutNoun } from '../../domain/shared/nouns.ts'
import { hasPermission } from '../authorization/page-permission.ts'
import { createPage, redirect, withQuery } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { renderDailyBars } from '../views/plots.ts'
import { restrictToOneMode } from './connections.ts'

export function registerOverviewPages({ get }: DashboardRouter): void {
  get('any', '/dashboard', async visit => {
    const { em, token, session, timeZone, t, f: format } = visit
    if (!token) return redirect('/dashboard/operator')
    const { token: modeToken, modes } = await restrictToOneMode({ ...visit, token })
    const { accountUuid, mode } = modeToken
    const of = { accountUuid, isSimulated: mode === 'test' }
    const mayApprove = hasPermission(session, 'transfers.write')
    const plottedDays = listLastDays(MAX_PLOTTED_DAYS, timeZone)
    const [days, providers, counts, unknown, steps, tasks, paidCharges, conversions] = await Promise.all([
      findDailyVolumes(em.fork(), { ...of, days: plottedDays }),
      findProviderStatistics(em.fork(), of),
      findAccountCounts(em.fork(), of),
      findUnknownPayouts(em.fork(), of),
      listOnboardingSteps(em.fork(), accountUuid),
      countAccountTasks(em.fork(), accountUuid, session.user.email),
      listPaidCharges(em, modeToken),
      countConversions(em, modeToken, plottedDays),
    ])
    const names = { received: t('plot.received'), sent: t('plot.sent'), refunded: t('plot.refunded') }
    const label = t('plot.perDay', { days: days.length })
    return createPage('overview', {
      days,
      counts,
      unknown: unknown.map(({ noun, count, uuids }) => ({
        noun,
        count,
        path: pathOfUnknown(noun, mode, uuids),
      })),
      approvals: mayApprove ? tasks.approvals : 0,
      today: days.at(-1),
      mode,
      modes,
      hasMoved: days.some(({ received, sent, refunded }) => received + sent + refunded > 0),
      plot: days.length > 0 && renderDailyBars(days, { format, label, names }),
      providers,
      steps,
      paidCharges,
      week: days.length === MAX_PLOTTED_DAYS ? presentWeek(visit, days, conversions) : [],
    })
  })
}

/** Address of the list that has these payouts, or of those that wait for their return, which no list names. */
function pathOfUnknown(noun: PayoutNoun, mode: string, uuids: string[]): string {
  if (noun === 'return') return withQuery('/dashboard/unmatched', { mode })
  return withQuery(`/dashboard/${noun}s`, { mode, uuid: uuids })
}

/** The first steps of an account, in order, each with the page where it is done. */
const STEPS = [
  { name: 'connection', path: '/dashboard/providers', permission: 'money.read' },
  { name: 'token', path: '/dashboard/tokens', permission: 'tokens.read' },
  { name: 'charge', path: '/dashboard/charges/new', permission: 'charges.write' },
  { name: 'webhook', path: '/dashboard/webhooks', permission: 'webhooks.read' },
  { name: 'user', path: '/dashboard/users', permission: 'users.write', isOptional: true },
] as const

/** Lists the first steps with whether each is done; null once all that are not optional are, so that the list disappears. */
async function listOnboardingSteps(em: EntityManager, accountUuid: string) {
  const facts = await findOnboardingFacts(em, accountUuid)
  const steps = STEPS.map(step => ({ isOptional: false, ...step, isDone: facts[step.name] }))
  return steps.every(({ isDone, isOptional }) => isDone || isOptional) ? null : steps
}

const PAID_STATUSES = ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED'] as const
/** Paid charges of the page, the newest. */
const MAX_PAID_CHARGES = 5

async function listPaidCharges(em: EntityManager, token: CallerToken) {
  const query = { status: [...PAID_STATUSES], per_page: MAX_PAID_CHARGES, cursor: '', time_zone: 'UTC' }
  const { data } = await listCharges(em.fork(), token, query)
  return data.map(({ uuid, receivedCents, externalRef, movement, paidAt }) => {
    const payer = movement?.sender?.name ?? null
    return { uuid, cents: receivedCents, payer, reference: externalRef ?? null, paidAt: paidAt ?? null }
  })
}

/** Days of a week; the plot has two of them. */
const WEEK = MAX_PLOTTED_DAYS / 2

/** Charges of a week that were created, and those of them that were paid. */
type Conversion = { created: number; paid: number }

/** Counts the charges of this week and of the one before by the list counters. */
function countConversions(em: EntityManager, token: CallerToken, days: PlottedDay[]): Promise<Conversion[]> {
  const middle = days[WEEK]!.beginsAt
  const count = (states: string[], created: { $gte: Date; $lt?: Date }) =>
    readListCounter(em.fork(), { noun: 'charge', conditions: visibilityConditions(token), states, created })
  const paidStates = PAID_STATUSES.flatMap(status => chargeMachine.statesShowing(status))
  const weeks = [{ $gte: middle }, { $gte: days[0]!.beginsAt, $lt: middle }]
  return Promise.all(
    weeks.map(async created => {
      const [all, paid] = await Promise.all([count([], created), count(paidStates, created)])
      return { created: all, paid }
    }),
  )
}

/** Presents the figures of this week, each with its change from the week before; null where that had none. */
function presentWeek({ f }: Pick<PageContext, 'f'>, days: DailyVolume[], conversions: Conversion[]) {
  const sum = (name: 'received' | 'sent', from: number) =>
    days.slice(from, from + WEEK).reduce((cents, day) => cents + day[name], 0)
  const changeOf = (now: number, before: number) => (before === 0 ? null : now / before - 1)
  const amounts = (['received', 'sent'] as const).map(name => {
    const [before, now] = [sum(name, 0), sum(name, WEEK)]
    return { name, text: f.money(now), change: changeOf(now, before) }
  })
  const [share, shareBefore] = conversions.map(({ created, paid }) => (created === 0 ? 0 : paid / created))
  const conversion = { name: 'conversion', text: f.percent(share!), change: changeOf(share!, shareBefore!) }
  return [...amounts, conversion]
}
