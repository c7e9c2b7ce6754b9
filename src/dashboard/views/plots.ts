import type { DailyVolume } from '../../db/repositories/account-statistics.ts'
import { html, type Markup } from '../../views/markup.ts'
import type { Formats } from './formats.ts'

/** Plots as SVG; colours are in the style sheet, numbers in a table next to them. */

const SERIES = ['received', 'sent', 'refunded'] as const
type Series = (typeof SERIES)[number]

const HEIGHT = 240
const MARGIN = { top: 12, bottom: 28 }
const GRID_LINES = 4
/** Of the width of a day, for its bars; the rest is the gap to the next day. */
const BARS_SHARE = 0.72

type BarPlotInput = { format: Formats; label: string; names: Record<Series, string> }

/**
 * Renders three bars per day, scaled from zero to the maximum. Places across are in percent and heights in pixels, so
 * that all days are in view and their texts readable at every width.
 */
export function renderDailyBars(days: DailyVolume[], { format, label, names }: BarPlotInput): Markup {
  const axisMax = roundUpAxisMax(Math.max(...days.flatMap(day => SERIES.map(series => day[series]))))
  const innerHeight = HEIGHT - MARGIN.top - MARGIN.bottom
  const step = 100 / days.length
  const bar = (step * BARS_SHARE) / SERIES.length
  const y = (cents: number) => MARGIN.top + innerHeight * (1 - cents / axisMax)

  const lines = Array.from({ length: GRID_LINES + 1 }, (_, line) => (axisMax / GRID_LINES) * line)
  const amounts = lines.map(
    cents =>
      html`<text class="axis" x="100%" y="${formatCoordinate(y(cents) + 4)}" text-anchor="end">${format.roundMoney(cents)}</text>`,
  )
  const grid = lines.map(
    cents =>
      html`<line class="grid" x1="0" x2="100%" y1="${formatCoordinate(y(cents))}" y2="${formatCoordinate(y(cents))}"/>`,
  )
  const bars = days.map((day, index) => {
    const left = step * index + (step - bar * SERIES.length) / 2
    const columns = SERIES.map(
      (
        series,
        place,
      ) => html`<rect class="${series}" x="${formatCoordinate(left + bar * place)}%" y="${formatCoordinate(y(day[series]))}"
 width="${formatCoordinate(bar * 0.9)}%" height="${formatCoordinate((innerHeight * day[series]) / axisMax)}" rx="1.5"><title>${format.day(day.day)}: ${names[series]} ${format.money(day[series])}</title></rect>`,
    )
    // On a phone every fourth day has room for its name, the latest among them.
    const back = days.length - 1 - index
    const name = html`<text class="axis${back % 4 === 0 ? '' : ' wide'}" x="${formatCoordinate(step * (index + 0.5))}%" y="${HEIGHT - 8}" text-anchor="middle">${format.day(day.day)}</text>`
    return html`${columns}${back % 2 === 0 && name}`
  })
  return html`<div class="chart"><svg class="plot amounts" height="${HEIGHT}" aria-hidden="true">${amounts}</svg><svg class="plot" height="${HEIGHT}" role="img" aria-label="${label}">${grid}${bars}</svg></div>`
}

/** Renders a share between 0 and 1 as a bar. */
export function renderShareBar(share: number, label: string): Markup {
  const width = formatCoordinate(Math.max(0, Math.min(1, share)) * 100)
  const kind = share >= 0.98 ? 'good' : share >= 0.9 ? 'fair' : 'poor'
  return html`<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="rest" width="100" height="6" rx="3"/><rect class="${kind}" width="${width}" height="6" rx="3"/></svg>`
}

/** Rounds an axis maximum up to 1, 2, 4 or 8 times a power of ten in reais, for grid lines at round amounts. */
export function roundUpAxisMax(cents: number): number {
  const reais = Math.max(cents / 100, 10)
  const power = 10 ** Math.floor(Math.log10(reais))
  const factor = [1, 2, 4, 8, 10].find(one => one * power >= reais) ?? 10
  return factor * power * 100
}

function formatCoordinate(value: number): string {
  return value.toFixed(2)
}
