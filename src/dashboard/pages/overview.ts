import type { Door } from '../door.ts'
import { FORMATS } from '../formats.ts'
import { elsewhere, page } from '../page.ts'
import { barsPerDay, shareBar } from '../plots.ts'
import { countsOf, movedPerDay, providersDid } from '../statistics.ts'
import { WORDS } from '../words.ts'
import { ofOneMode } from './mode.ts'

export function overviewPages({ get }: Door): void {
  get('any', '/dashboard', async visit => {
    const { em, token, language } = visit
    if (!token) return elsewhere('/dashboard/operator')
    const { token: seeing, modes } = await ofOneMode({ ...visit, token })
    const { accountUuid, mode } = seeing
    const of = { accountUuid, isSimulated: mode === 'test' }
    const [days, did, counts] = await Promise.all([
      movedPerDay(em.fork(), of),
      providersDid(em.fork(), of),
      countsOf(em.fork(), of),
    ])
    const [t, format] = [WORDS[language], FORMATS[language]]
    const names = { received: t('plot.received'), sent: t('plot.sent'), refunded: t('plot.refunded') }
    const label = t('plot.perDay', { days: days.length })
    return page('overview', {
      days,
      counts,
      today: days.at(-1),
      mode,
      modes,
      plot: days.length > 0 && barsPerDay(days, { format, label, names }),
      providers: did.map(one => ({
        ...one,
        bar: one.success !== null && shareBar(one.success, format.percent(one.success)),
      })),
      moves: true,
    })
  })
}
