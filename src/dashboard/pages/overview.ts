import { listLastDays } from '../../contract/shared/time-zone.ts'
import {
  findAccountCounts,
  findDailyVolumes,
  findProviderStatistics,
  MAX_PLOTTED_DAYS,
} from '../../db/repositories/account-statistics.ts'
import { phrasesOf } from '../http/confirmation.ts'
import { createPage, redirect } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { renderDailyBars } from '../views/plots.ts'
import { restrictToOneMode } from './connections.ts'
import { listOnboardingSteps } from './onboarding.ts'

export function registerOverviewPages({ get }: DashboardRouter): void {
  get('any', '/dashboard', async visit => {
    const { em, token, timeZone } = visit
    if (!token) return redirect('/dashboard/operator')
    const { token: seeing, modes } = await restrictToOneMode({ ...visit, token })
    const { accountUuid, mode } = seeing
    const of = { accountUuid, isSimulated: mode === 'test' }
    const [days, providers, counts, steps] = await Promise.all([
      findDailyVolumes(em.fork(), { ...of, days: listLastDays(MAX_PLOTTED_DAYS, timeZone) }),
      findProviderStatistics(em.fork(), of),
      findAccountCounts(em.fork(), of),
      listOnboardingSteps(em.fork(), accountUuid),
    ])
    const { t, f: format } = phrasesOf(visit)
    const names = { received: t('plot.received'), sent: t('plot.sent'), refunded: t('plot.refunded') }
    const label = t('plot.perDay', { days: days.length })
    return createPage('overview', {
      days,
      counts,
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
