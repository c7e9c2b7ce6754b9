import { type CpuTimes, PROGRAM_NAMES, type Program, sumCpuMs } from './cpu.ts'

/** The results of a benchmark, and their format. */

/** Calls of one kind. */
export type Speed = {
  what: string
  /** So many at once, each calling again once its last call was answered; null in an open loop. */
  callers: number | null
  perSecond: number
  p50Ms: number
  p99Ms: number
  calls: number
  failures: number
  /** Per call, by program; absent where it is not measured. */
  cpuMs?: Partial<CpuTimes> | undefined
}
/** The same work by Trilho and by the plain implementation, in one run. */
export type Comparison = { what: string; ours: Speed; baseline: Speed }
/** A target, judged within one run: other load affects both sides. */
export type Goal = { what: string; is: number; atLeast?: number; atMost?: number; unit?: string }
/** The cost of one operation. */
export type Cost = {
  what: string
  historyEvents: number
  historyBytes: number
  workflowTasks: number
  activityTasks: number
  transactions: number
  statements: number
  /** Per program, in ms; null where it is not known. */
  cpuMs: Partial<Record<Program, number | null>>
}
export type Figures = {
  speeds: Speed[]
  comparisons: Comparison[]
  goals: Goal[]
  costs: Cost[]
  notes: string[]
}

export const emptyFigures = (): Figures => ({
  speeds: [],
  comparisons: [],
  goals: [],
  costs: [],
  notes: [],
})

export function addFigures(to: Figures, found: Partial<Figures>): void {
  to.speeds.push(...(found.speeds ?? []))
  to.comparisons.push(...(found.comparisons ?? []))
  to.goals.push(...(found.goals ?? []))
  to.costs.push(...(found.costs ?? []))
  to.notes.push(...(found.notes ?? []))
}

export function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export function isReached({ is, atLeast = -Infinity, atMost = Infinity }: Goal): boolean {
  return is >= atLeast && is <= atMost
}

/** One line of progress. */
export function formatPerSecond(speeds: Speed[]): string {
  return speeds.map(({ what, perSecond }) => `${what} ${perSecond.toFixed(1)}/s`).join(', ')
}

/** Columns as wide as their content, figures to the right. */
export function formatTable(rows: Record<string, string | number>[]): string {
  if (rows.length === 0) return ''
  const names = Object.keys(rows[0]!)
  const cells = [names, ...rows.map(row => names.map(name => formatCell(row[name]!)))]
  const widths = names.map((_, column) => Math.max(...cells.map(row => row[column]!.length)))
  const isText = names.map(name => rows.every(row => typeof row[name] === 'string'))
  return cells
    .map(row =>
      row
        .map((cell, column) =>
          isText[column] ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function formatCell(value: string | number): string {
  if (typeof value === 'string') return value
  if (Number.isInteger(value)) return String(value)
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1)
}

export function formatFigures({ speeds, comparisons, goals, costs, notes }: Figures): string {
  const parts = [
    formatTable(
      speeds.map(({ what, callers, perSecond, p50Ms, p99Ms, calls, failures, cpuMs }) => ({
        what,
        callers: callers ?? 'open',
        'per second': perSecond,
        'p50 ms': p50Ms,
        'p99 ms': p99Ms,
        calls,
        failures,
        'CPU ms': cpuMs ? sumCpuMs(cpuMs) : '-',
      })),
    ),
    formatTable(
      speeds
        .filter(({ cpuMs }) => cpuMs)
        .map(({ what, callers, cpuMs }) => ({
          'CPU ms of one, under load': what,
          callers: callers ?? 'open',
          ...Object.fromEntries(PROGRAM_NAMES.map(name => [name, cpuMs![name] ?? '-'])),
        })),
    ),
    formatTable(
      comparisons.map(({ what, ours, baseline }) => ({
        'Trilho ÷ baseline': what,
        'Trilho /s': ours.perSecond,
        'baseline /s': baseline.perSecond,
        'of its rate': ours.perSecond / baseline.perSecond,
        'Trilho CPU ms': sumCpuMs(ours.cpuMs),
        'baseline CPU ms': sumCpuMs(baseline.cpuMs),
        'times its CPU': sumCpuMs(ours.cpuMs) / sumCpuMs(baseline.cpuMs),
      })),
    ),
    formatTable(
      costs.map(({ what, cpuMs, ...counts }) => ({
        'one operation': what,
        'history events': counts.historyEvents,
        'history bytes': counts.historyBytes,
        'workflow tasks': counts.workflowTasks,
        'activity tasks': counts.activityTasks,
        transactions: counts.transactions,
        statements: counts.statements,
        ...Object.fromEntries(Object.entries(cpuMs).map(([program, ms]) => [`${program} CPU ms`, ms ?? '-'])),
      })),
    ),
    formatTable(
      goals.map(goal => ({
        goal: goal.what,
        is: goal.is,
        wanted: goal.atLeast === undefined ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`,
        unit: goal.unit ?? '',
        reached: isReached(goal) ? 'yes' : 'NO',
      })),
    ),
    notes.join('\n'),
  ]
  return parts.filter(part => part !== '').join('\n\n')
}
