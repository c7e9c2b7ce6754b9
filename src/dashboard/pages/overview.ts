import {
  findAccountCounts,
  findDailyVolumes,
  findProviderStatistics,
} from '../../db/repositories/account-statistics.ts'
import { createPage, redirect } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { TRANSLATORS } from '../i18n/translator.ts'
import { FORMATS } from '../views/formats.ts'
import { renderDailyBars } from '../views/plots.ts'
import { restrictToOneMode } from './connections.ts'
import { listOnboardingSteps } from './onboarding.ts'

export function registerOverviewPages({ get }: DashboardRouter): void {
  get('any', '/dashboard', async visit => {
    const { em, token, language } = visit
    if (!token) return redirect('/dashboard/operator')
    const { token: seeing, modes } = await restrictToOneMode({ ...visit, token })
    const { accountUuid, mode } = seeing
    const of = { accountUuid, isSimulated: mode === 'test' }
    const [days, providers, counts, steps] = await Promise.all([
      findDailyVolumes(em.fork(), of),
      findProviderStatistics(em.fork(), of),
      findAccountCounts(em.fork(), of),
      listOnboardingSteps(em.fork(), accountUuid),
    ])
    const [t, format] = [TRANSLATORS[language], FORMATS[language]]
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
