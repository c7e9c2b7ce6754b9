/**
 * The subset of PromQL that deploy/alerts.yml uses, over samples kept in memory: comparisons, arithmetic, `or`, `and`, `unless`, aggregations
 * with `by`, `offset` of an instant selector, and the functions of FUNCTIONS below. Anything else is a syntax error, so
 * that a rule outside the subset is noticed. https://prometheus.io/docs/prometheus/latest/querying/basics/
 */

export type Sample = { name: string; labels: Record<string, string>; value: number }
/** One scrape of all targets, at a time in milliseconds. */
export type Scrape = { at: number; samples: Sample[] }
type VectorElement = { labels: Record<string, string>; value: number }
type ExpressionValue = number | VectorElement[]
type ScrapeHistory = { scrapes: Scrape[]; rangeFactor: number }
type Expression = (history: ScrapeHistory) => ExpressionValue

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?(?![\w.]))|([a-zA-Z_:][\w:]*)|("(?:[^"\\]|\\.)*")|(=~|!~|!=|==|>=|<=|[-+*/(){}[\],<>=])|(\d+[smhd]))/y
const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const COMPARISONS = ['==', '!=', '>', '<', '>=', '<=']
const PRECEDENCE = [['or'], ['and', 'unless'], COMPARISONS, ['+', '-'], ['*', '/']]

export function parseDurationMs(text: string): number {
  return Number(text.slice(0, -1)) * UNIT_MS[text.at(-1)!]!
}

/** `rangeFactor` divides every range in brackets and every offset: a drill is shorter than production's windows. */
export function compileExpression(
  text: string,
): (scrapes: Scrape[], rangeFactor?: number) => VectorElement[] {
  const tokens = tokenize(text)
  let place = 0
  const expression = binary(0)
  if (place < tokens.length) throw new SyntaxError(`PromQL: unexpected ${tokens[place]} in ${text}`)
  return (scrapes, rangeFactor = 1) => {
    const value = expression({ scrapes, rangeFactor })
    return typeof value === 'number' ? [{ labels: {}, value }] : value
  }

  function take(expected?: string): string {
    const token = tokens[place++]
    if (token === undefined || (expected !== undefined && token !== expected))
      throw new SyntaxError(`PromQL: ${expected ?? 'more'} expected at ${token} in ${text}`)
    return token
  }
  function takeIf(wanted: string): boolean {
    if (tokens[place] !== wanted) return false
    place += 1
    return true
  }

  function binary(level: number): Expression {
    if (level === PRECEDENCE.length) return primary()
    let left = binary(level + 1)
    while (PRECEDENCE[level]!.includes(tokens[place] ?? '')) {
      const [operator, one] = [take(), left]
      const on = takeIf('on') ? labelNames() : undefined
      const other = binary(level + 1)
      left = history => applyOperator(operator, one(history), other(history), on)
    }
    return left
  }

  function labelNames(): string[] {
    const names: string[] = []
    take('(')
    while (!takeIf(')')) {
      names.push(take())
      takeIf(',')
    }
    return names
  }

  function primary(): Expression {
    const token = take()
    if (/^\d/.test(token)) return () => Number(token)
    if (token === '(') {
      const inner = binary(0)
      take(')')
      return inner
    }
    if (AGGREGATIONS[token]) return aggregation(AGGREGATIONS[token])
    if (tokens[place] === '(') return call(token)
    if (!/^[a-zA-Z_:]/.test(token)) throw new SyntaxError(`PromQL: unexpected ${token} in ${text}`)
    const select = selector(token)
    if (!takeIf('offset')) return ({ scrapes }) => select(scrapes.at(-1))
    const offsetMs = parseDurationMs(take())
    return ({ scrapes, rangeFactor }) => {
      const until = (scrapes.at(-1)?.at ?? 0) - offsetMs / rangeFactor
      return select(scrapes.findLast(({ at }) => at <= until))
    }
  }

  function aggregation(of: (values: number[]) => number): Expression {
    const by = takeIf('by') ? labelNames() : []
    take('(')
    const inner = binary(0)
    take(')')
    return history => {
      const groups = new Map<string, { labels: Record<string, string>; values: number[] }>()
      for (const { labels, value } of toVector(inner(history))) {
        const kept = pickLabels(labels, by)
        const group = groups.get(labelsKeyOf(kept)) ?? { labels: kept, values: [] }
        group.values.push(value)
        groups.set(labelsKeyOf(kept), group)
      }
      return [...groups.values()].map(({ labels, values }) => ({ labels, value: of(values) }))
    }
  }

  function call(name: string): Expression {
    take('(')
    if (name === 'time') {
      take(')')
      return ({ scrapes }) => (scrapes.at(-1)?.at ?? 0) / 1_000
    }
    if (name === 'histogram_quantile') {
      const quantile = Number(take())
      take(',')
      const buckets = binary(0)
      take(')')
      return history => histogramQuantile(quantile, toVector(buckets(history)))
    }
    const overTime = OVER_TIME[name]
    if (overTime) {
      const inner = binary(0)
      take('[')
      const rangeMs = parseDurationMs(take())
      takeIf(':') // A subquery, evaluated at each scrape.
      take(']')
      take(')')
      return history => evaluateOverRange(history, inner, { rangeMs, overTime })
    }
    const inner = binary(0)
    take(')')
    if (name === 'abs')
      return history => toVector(inner(history)).map(one => ({ ...one, value: Math.abs(one.value) }))
    if (name === 'absent')
      return history => (toVector(inner(history)).length === 0 ? [{ labels: {}, value: 1 }] : [])
    throw new SyntaxError(`PromQL: ${name} is not in the subset of a drill`)
  }

  function selector(name: string): (scrape: Scrape | undefined) => VectorElement[] {
    const matchers: ((labels: Record<string, string>) => boolean)[] = []
    if (takeIf('{'))
      while (!takeIf('}')) {
        const [label, operator, wanted] = [take(), take(), JSON.parse(take()) as string]
        matchers.push(labels => matchesLabel(labels[label] ?? '', operator, wanted))
        takeIf(',')
      }
    return scrape =>
      (scrape?.samples ?? []).filter(
        sample => sample.name === name && matchers.every(match => match(sample.labels)),
      )
  }
}

const AGGREGATIONS: Record<string, (values: number[]) => number> = {
  min: values => Math.min(...values),
  max: values => Math.max(...values),
  sum: values => values.reduce((sum, value) => sum + value, 0),
  count: values => values.length,
}

/** Without Prometheus' extrapolation to the edges of the window; a counter that falls began anew at zero. */
const increase = (values: number[]) =>
  values
    .slice(1)
    .reduce((sum, value, place) => sum + (value < values[place]! ? value : value - values[place]!), 0)
const OVER_TIME: Record<string, (values: number[], seconds: number) => number> = {
  increase,
  rate: (values, seconds) => increase(values) / Math.max(seconds, 1),
  max_over_time: values => Math.max(...values),
}

function evaluateOverRange(
  { scrapes, rangeFactor }: ScrapeHistory,
  inner: Expression,
  { rangeMs, overTime }: { rangeMs: number; overTime: (values: number[], seconds: number) => number },
): VectorElement[] {
  const since = (scrapes.at(-1)?.at ?? 0) - rangeMs / rangeFactor
  const series = new Map<string, VectorElement & { values: number[] }>()
  for (const scrape of scrapes.filter(({ at }) => at >= since))
    for (const { labels, value } of toVector(inner({ scrapes: [scrape], rangeFactor }))) {
      const one = series.get(labelsKeyOf(labels)) ?? { labels, value, values: [] }
      one.values.push(value)
      series.set(labelsKeyOf(labels), one)
    }
  return [...series.values()].map(({ labels, values }) => ({
    labels,
    value: overTime(values, rangeMs / rangeFactor / 1_000),
  }))
}

function pickLabels(labels: Record<string, string>, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap(name => (name in labels ? [[name, labels[name]!]] : [])))
}

/** `on`: the labels by which a set operator compares, where not by all. */
function applyOperator(
  operator: string,
  left: ExpressionValue,
  right: ExpressionValue,
  on?: string[],
): ExpressionValue {
  if (operator === 'or') {
    const first = toVector(left)
    const known = new Set(first.map(({ labels }) => labelsKeyOf(labels)))
    return [...first, ...toVector(right).filter(({ labels }) => !known.has(labelsKeyOf(labels)))]
  }
  if (operator === 'and' || operator === 'unless') {
    const key = ({ labels }: VectorElement) => labelsKeyOf(on ? pickLabels(labels, on) : labels)
    const known = new Set(toVector(right).map(key))
    return toVector(left).filter(one => known.has(key(one)) === (operator === 'and'))
  }
  const isComparison = COMPARISONS.includes(operator)
  const apply = (one: number, other: number): number | undefined => {
    const result = OPERATIONS[operator]!(one, other)
    return typeof result === 'number' ? result : result ? one : undefined
  }
  if (typeof left === 'number' && typeof right === 'number') {
    const result = apply(left, right)
    return isComparison ? Number(result !== undefined) : result!
  }
  return toVector(left).flatMap(({ labels, value }) => {
    const other =
      typeof right === 'number'
        ? right
        : right.find(one => labelsKeyOf(one.labels) === labelsKeyOf(labels))?.value
    const result = other === undefined ? undefined : apply(value, other)
    return result === undefined ? [] : [{ labels, value: result }]
  })
}

const OPERATIONS: Record<string, (one: number, other: number) => number | boolean> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '>': (one, other) => one > other,
  '<': (one, other) => one < other,
  '>=': (one, other) => one >= other,
  '<=': (one, other) => one <= other,
}

function histogramQuantile(quantile: number, buckets: VectorElement[]): VectorElement[] {
  const groups = new Map<
    string,
    { labels: Record<string, string>; bounds: { le: number; count: number }[] }
  >()
  for (const { labels, value } of buckets) {
    const { le = '+Inf', ...rest } = labels
    const group = groups.get(labelsKeyOf(rest)) ?? { labels: rest, bounds: [] }
    group.bounds.push({ le: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), count: value })
    groups.set(labelsKeyOf(rest), group)
  }
  return [...groups.values()].flatMap(({ labels, bounds }) => {
    const sorted = bounds.toSorted((one, other) => one.le - other.le)
    const wanted = quantile * (sorted.at(-1)?.count ?? 0)
    if (wanted === 0) return []
    const place = sorted.findIndex(({ count }) => count >= wanted)
    const [below, here] = [sorted[place - 1] ?? { le: 0, count: 0 }, sorted[place]!]
    if (here.le === Number.POSITIVE_INFINITY) return [{ labels, value: below.le }]
    const share = (wanted - below.count) / (here.count - below.count)
    return [{ labels, value: below.le + (here.le - below.le) * share }]
  })
}

function matchesLabel(value: string, operator: string, wanted: string): boolean {
  if (operator === '=') return value === wanted
  if (operator === '!=') return value !== wanted
  const isMatch = new RegExp(`^(?:${wanted})$`).test(value)
  return operator === '=~' ? isMatch : !isMatch
}

/** A scalar stands for a vector of one element without labels where it is aggregated. */
function toVector(value: ExpressionValue): VectorElement[] {
  return typeof value === 'number' ? [{ labels: {}, value }] : value
}

function labelsKeyOf(labels: Record<string, string>): string {
  return JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => one.localeCompare(other)))
}

function tokenize(text: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const from = TOKEN.lastIndex
    const found = TOKEN.exec(text)
    if (!found) throw new SyntaxError(`PromQL: cannot read ${text.slice(from)}`)
    tokens.push(found[0].trim())
  }
  return tokens
}
