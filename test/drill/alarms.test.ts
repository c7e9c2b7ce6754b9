import { describe, expect, test } from '@jest/globals'
import { createAlertEvaluator, parseSamples, readProductionRules } from './alerts.ts'
import { compileExpression } from './promql.ts'

const scrape = (at: number, exposition: string) => ({
  at: at * 1_000,
  samples: parseSamples(exposition, 'api'),
})

test('every rule of production is within the supported subset', () => {
  const rules = readProductionRules()
  expect(rules.length).toBeGreaterThan(20)
  for (const { expr } of rules) expect(() => compileExpression(expr)).not.toThrow()
})

test.each([
  ['min(up) == 0', 'up{process="a"} 1\nup{process="b"} 0', [0]],
  ['min(up) == 0', 'up{process="a"} 1', []],
  ['absent(up)', 'down 1', [1]],
  ['absent(up)', 'up 0', []],
  ['absent(up == 1)', 'up 0', [1]],
  ['max(age) > 15 or max(wait) > 10', 'age 1\nwait 11', [11]],
  ['need unless has', 'need{b="1"} 1\nneed{b="2"} 2\nhas{b="1"} 1', [2]],
  ['need and has', 'need{b="1"} 1\nneed{b="2"} 2\nhas{b="1"} 1', [1]],
  ['(need unless on (b) has) and on () other', 'need{b="2",c="3"} 2\nhas{b="1"} 1\nother{d="4"} 1', [2]],
  ['(need unless on (b) has) and on () other', 'need{b="1",c="3"} 2\nhas{b="1"} 1\nother{d="4"} 1', []],
  ['min(free / size) < 0.1', 'free{x="1"} 5\nsize{x="1"} 100', [0.05]],
  ['max by (name) (abs(offset)) > 30', 'offset{name="a"} -40\noffset{name="b"} 2', [40]],
  ['min(after) - time() < 14 * 86400', 'after 1209600', [1_209_590]],
  [
    'sum(calls{code!="other",code=~"a|b"}) > 1',
    'calls{code="a"} 2\ncalls{code="other"} 9\ncalls{code="c"} 9',
    [2],
  ],
])('%s of %j is %j', (expr, exposition, values) => {
  expect(compileExpression(expr)([scrape(10, exposition)]).map(({ value }) => value)).toEqual(values)
})

test('increases count from the first sample of the range, and a falling counter restarts from zero', () => {
  const scrapes = [scrape(0, 'n 100'), scrape(60, 'n 5'), scrape(120, 'n 9'), scrape(180, 'n 2')]
  expect(compileExpression('increase(n[2m])')(scrapes)).toEqual([expect.objectContaining({ value: 6 })])
  expect(compileExpression('max_over_time(n[10m])')(scrapes)).toEqual([
    expect.objectContaining({ value: 100 }),
  ])
  expect(
    compileExpression('count(n == 5) < max_over_time(count(n > 1)[10m:])')([
      scrape(0, 'n{of="a"} 5\nn{of="b"} 5'),
      scrape(60, 'n{of="a"} 5\nn{of="b"} 1'),
    ]),
  ).toEqual([{ labels: {}, value: 1 }])
})

test('an offset reads the last scrape of that age, and nothing before the first one', () => {
  const scrapes = [scrape(0, 'n 1'), scrape(60, 'n 2'), scrape(130, 'n 3')]
  const values = (expr: string) => compileExpression(expr)(scrapes).map(({ value }) => value)
  expect(values('n offset 1m')).toEqual([2])
  expect(values('n unless n offset 1m')).toEqual([])
  expect(values('n offset 5m')).toEqual([])
  expect(values('n unless n offset 5m')).toEqual([3])
  expect(compileExpression('n offset 10m')(scrapes, 10).map(({ value }) => value)).toEqual([2])
})

/** A counter with labels and a gauge over rows have no series before the first event. */
describe('a rule over a series that begins with its first event', () => {
  const MINUTE_S = 60
  const fires = (alert: string, expositions: string[]) => {
    const rules = readProductionRules().filter(rule => rule.alert === alert)
    const evaluator = createAlertEvaluator(rules, 1)
    for (const [place, text] of expositions.entries()) evaluator.addScrape(scrape(place * MINUTE_S, text))
    return evaluator.firedAlerts().includes(alert)
  }
  const UP = 'trilho_database_up 1'
  /** Half an hour without the series, longer than the range of any of these rules; then its first value three times. */
  const since = (series: string, before: string) => [
    ...Array.from({ length: 30 }, () => before),
    ...Array.from({ length: 3 }, () => `${before}\n${series}`),
  ]
  const failedTasks = (reason: string) =>
    `temporal_workflow_task_execution_failed{workflow_type="transferWorkflow",failure_reason="${reason}"}`
  const SIGN_IN =
    'trilho_http_request_seconds_count{route="/dashboard/sign-in",method="POST",status="401",process="api"}'

  test.each([
    ['ProviderContradiction', 'trilho_provider_contradictions{provider="PROVIDER_A"} 1'],
    [
      'UnexplainedAnswer',
      'trilho_unexplained_answers{provider="PROVIDER_A",operation="refund",kind="unlisted_refusal",name="nova"} 1',
    ],
    ['InternalErrors', 'trilho_http_failures_total{code="internal_error",cause="bug",process="api"} 1'],
    ['WorkflowsDoNotReplay', `${failedTasks('NonDeterminismError')} 1`],
    [
      'ProviderUnreachable',
      'trilho_provider_failures_total{provider="PROVIDER_A",code="timeout",worker="w"} 11',
    ],
    ['SignInFailures', `${SIGN_IN} 51`],
  ])('%s fires at that event', (alert, series) => {
    expect(fires(alert, since(series, UP))).toBe(true)
    expect(fires(alert, since('', UP))).toBe(false)
  })

  test.each([
    ['InternalErrors', 'trilho_http_failures_total{code="internal_error",cause="bug",process="api"} 1'],
    ['WorkflowsDoNotReplay', `${failedTasks('NonDeterminismError')} 1`],
    ['SignInFailures', `${SIGN_IN} 51`],
  ])('%s does not fire for an old event when Prometheus begins to scrape', (alert, series) => {
    expect(
      fires(
        alert,
        Array.from({ length: 40 }, () => `${UP}\n${series}`),
      ),
    ).toBe(false)
  })

  test.each([
    ['fires for code that throws at each retry', (minute: number) => 1 + Math.floor(minute / 10), true],
    ['does not fire for a task that timed out once', (minute: number) => (minute < 30 ? 1 : 2), false],
  ])('WorkflowTasksFail %s', (_, countAt, isFiring) => {
    const scrapes = Array.from(
      { length: 60 },
      (__, minute) => `${UP}\n${failedTasks('WorkflowError')} ${countAt(minute)}`,
    )
    expect(fires('WorkflowTasksFail', scrapes)).toBe(isFiring)
    expect(fires('WorkflowsDoNotReplay', scrapes)).toBe(false)
  })

  test('WorkerReachesNoProvider does not fire for a worker whose first answer came within its range', () => {
    const calls = (worker: string, outcome: string, value: number) =>
      `trilho_provider_call_seconds_count{worker="${worker}",provider="PROVIDER_A",operation="refund",outcome="${outcome}"} ${value}`
    const failures = (value: number) =>
      `trilho_provider_failures_total{worker="new",provider="PROVIDER_A",code="timeout"} ${value}`
    const scrapes = (own: string) =>
      Array.from({ length: 20 }, (_, n) =>
        [UP, calls('old', 'accepted', 10 * n), ...(n < 16 ? [] : [failures(3 * (n - 15)), own])].join('\n'),
      )
    expect(fires('WorkerReachesNoProvider', scrapes(''))).toBe(true)
    expect(fires('WorkerReachesNoProvider', scrapes(calls('new', 'accepted', 1)))).toBe(false)
  })
})

test('a quantile is interpolated within its bucket', () => {
  const text = 'b{le="1"} 50\nb{le="2"} 100\nb{le="+Inf"} 100'
  expect(compileExpression('histogram_quantile(0.75, sum by (le) (b))')([scrape(1, text)])).toEqual([
    { labels: {}, value: 1.5 },
  ])
})

test('an expression outside the subset is refused', () => {
  for (const expr of ['deriv(n[5m])', 'n > bool 1', 'sum(n'])
    expect(() => compileExpression(expr)).toThrow(/PromQL/)
})

test('an alert fires once its expression has held without a break for its time divided by the factor', () => {
  const rules = [{ alert: 'Down', expr: 'up == 0', for: '2m' }]
  const held = createAlertEvaluator(rules, 12)
  for (const at of [0, 5, 9]) held.addScrape(scrape(at, 'up 0'))
  expect(held.firedAlerts()).toEqual([])
  held.addScrape(scrape(10, 'up 0'))
  expect(held.firedAlerts()).toEqual(['Down'])

  const broken = createAlertEvaluator(rules, 12)
  for (const [at, up] of [
    [0, 0],
    [6, 1],
    [8, 0],
    [14, 0],
  ])
    broken.addScrape(scrape(at!, `up ${up}`))
  expect(broken.firedAlerts()).toEqual([])
})
