import { listProviders } from '../../api/providers/find.ts'
import type { Door } from '../door.ts'
import { FORMATS } from '../formats.ts'
import { elsewhere, page } from '../page.ts'
import { barsPerDay, shareBar } from '../plots.ts'
import { countsOf, DAYS, movedPerDay, providersDid } from '../statistics.ts'
import { WORDS } from '../words.ts'

export function overviewPages({ get }: Door): void {
  get('any', '/dashboard', async ({ em, token, signedIn, language }) => {
    if (!signedIn.account || !token) return elsewhere('/dashboard/operator')
    const { uuid } = signedIn.account
    const [days, did, counts, { data }] = await Promise.all([
      movedPerDay(em.fork(), uuid),
      providersDid(em.fork(), uuid),
      countsOf(em.fork(), uuid),
      listProviders(em.fork(), token, { page: 1, per_page: 100 }),
    ])
    const [t, format] = [WORDS[language], FORMATS[language]]
    const names = { received: t('plot.received'), sent: t('plot.sent'), refunded: t('plot.refunded') }
    const label = t('plot.perDay', { days: DAYS })
    return page('overview', {
      days,
      counts,
      today: days.at(-1),
      available: data.reduce((sum, { balances }) => sum + (balances[0]?.available_balance ?? 0), 0),
      plot: barsPerDay(days, { format, label, names }),
      providers: did.map(one => ({
        ...one,
        bar: one.success !== null && shareBar(one.success, format.percent(one.success)),
      })),
      moves: true,
    })
  })
}
