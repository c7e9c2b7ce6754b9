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
 * Renders three bars per day, scaled from zero to the maximum; a bar far above all others is broken off, and has its amount
 * above it. Places across are in percent and heights in pixels, so
 * that all days are in view and their texts readable at every width.
 */
export function renderDailyBars(days: DailyVolume[], { format, label, names }: BarPlotInput): Markup {
  const axisMax = roundUpAxisMax(findPlottedMax(days.flatMap(day => SERIES.map(series => day[series]))))
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
    const columns = SERIES.map((series, place) => {
      const x = left + bar * place
      const shown = Math.min(day[series], axisMax)
      const isBroken = shown < day[series]
      const rect = html`<rect class="${series}" x="${formatCoordinate(x)}%" y="${formatCoordinate(y(shown))}"
 width="${formatCoordinate(bar * 0.9)}%" height="${formatCoordinate((innerHeight * shown) / axisMax)}" rx="1.5"><title>${format.day(day.day)}: ${names[series]} ${format.money(day[series])}</title></rect>`
      return html`${rect}${isBroken && renderBreak(x, bar, format.roundMoney(day[series]))}`
    })
    // On a phone every fourth day has room for its name, the latest among them.
    const back = days.length - 1 - index
    const name = html`<text class="axis${back % 4 === 0 ? '' : ' wide'}" x="${formatCoordinate(step * (index + 0.5))}%" y="${HEIGHT - 8}" text-anchor="middle">${format.day(day.day)}</text>`
    return html`${columns}${back % 2 === 0 && name}`
  })
  return html`<div class="chart"><svg class="plot amounts" height="${HEIGHT}" aria-hidden="true">${amounts}</svg><svg class="plot" height="${HEIGHT}" role="img" aria-label="${label}">${grid}${bars}</svg></div>`
}

/** Renders the gap in a bar that goes on above the plot, and its amount. */
function renderBreak(x: number, width: number, amount: string): Markup {
  const middle = formatCoordinate(x + width * 0.45)
  const gap = html`<line class="break" x1="${formatCoordinate(x)}%" x2="${formatCoordinate(x + width * 0.9)}%" y1="${MARGIN.top + 12}" y2="${MARGIN.top + 8}"/>`
  return html`${gap}<text class="axis" x="${middle}%" y="${MARGIN.top - 3}" text-anchor="middle">${amount}</text>`
}

/** A bar is broken off where it is so many times as high as the 95th percentile, below which the others would be flat. */
const OUTLIER_RATIO = 4
/** Fewest amounts that tell what is usual. */
const MIN_USUAL_AMOUNTS = 4

/** Finds the highest amount that a plot shows whole: that of all, or of the 95th percentile where the highest is far above it. */
export function findPlottedMax(amounts: number[]): number {
  const sorted = amounts.filter(cents => cents > 0).toSorted((a, b) => a - b)
  const max = sorted.at(-1) ?? 0
  // Never the highest itself: of few amounts it would be its own measure.
  const usual = sorted[Math.min(Math.floor(sorted.length * 0.95), sorted.length - 2)] ?? 0
  return sorted.length >= MIN_USUAL_AMOUNTS && max > usual * OUTLIER_RATIO ? usual : max
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
