import { listLastDays } from '../../contract/shared/time-zone.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import {
  findAccountCounts,
  findDailyVolumes,
  findProviderStatistics,
  findUnknownPayouts,
  MAX_PLOTTED_DAYS,
} from '../../db/repositories/account-statistics.ts'
import { countAccountTasks } from '../../db/repositories/account-tasks.ts'
import { findOnboardingFacts } from '../../db/repositories/onboarding.ts'
import type { PayoutNoun } from '../../domain/shared/nouns.ts'
import { hasPermission } from '../authorization/page-permission.ts'
import { createPage, redirect, withQuery } from '../http/page.ts'
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
    const [days, providers, counts, unknown, steps, tasks] = await Promise.all([
      findDailyVolumes(em.fork(), { ...of, days: listLastDays(MAX_PLOTTED_DAYS, timeZone) }),
      findProviderStatistics(em.fork(), of),
      findAccountCounts(em.fork(), of),
      findUnknownPayouts(em.fork(), of),
      listOnboardingSteps(em.fork(), accountUuid),
      countAccountTasks(em.fork(), accountUuid, session.user.email),
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
