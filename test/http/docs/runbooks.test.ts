import { basename } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { documentationRoutes } from '../../../src/api/docs/routes.ts'
import { createApiMetrics } from '../../../src/metrics/api-metrics.ts'
import { renderDatabaseMetrics } from '../../../src/metrics/database-metrics.ts'
import { createWorkerMetrics } from '../../../src/metrics/worker-metrics.ts'
import { codeBlocks, runbooks } from '../../docs/support/runbooks.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** The SQL of the runbooks runs against the schema of this release. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([documentationRoutes])
})
afterAll(() => fixture?.close())

test('every page that docs/runbooks.md links is served', async () => {
  const index = await fixture.call('GET', '/docs/runbooks')
  const paths = [...index.text.matchAll(/href="(\/docs\/[\w-]+)"/g)].map(([, path]) => path!)
  expect(paths).toEqual(expect.arrayContaining(runbooks.map(({ file }) => `/docs/${basename(file, '.md')}`)))
  for (const path of new Set(paths)) {
    const page = await fixture.call('GET', path)
    expect([path, page.status]).toEqual([path, 200])
  }
})

const statements = runbooks.flatMap(runbook =>
  codeBlocks(runbook, 'sql').map(sql => ({ file: runbook.file, sql })),
)

test('the runbooks have SQL statements', () => expect(statements.length).toBeGreaterThan(4))

test.each(statements)('$file runs: $#', async ({ sql }) => {
  expect(sql).toMatch(/^(select|show)\b/)
  await expect(fixture.orm.em.fork().execute(sql)).resolves.toBeInstanceOf(Array)
})

/** The metrics that the commands of the pages read from `GET /metrics`; `(a|b)` is read as `a` and as `b`. */
const searched = runbooks.flatMap(runbook =>
  codeBlocks(runbook, 'sh').flatMap(block =>
    [...block.matchAll(/\/metrics" \| grep (?:-E )?'\^?(trilho_[^'{]+)/g)].flatMap(([, pattern]) => {
      const [, before, choices, after] = /^(\w*)\((.+)\)(\w*)$/.exec(pattern!) ?? [null, pattern!, '', '']
      return choices!.split('|').map(choice => ({ file: runbook.file, name: before! + choice + after! }))
    }),
  ),
)

test('every metric that a command reads is exported', async () => {
  const texts = [
    await createApiMetrics().registry.metrics(),
    await createWorkerMetrics('w').registry.metrics(),
    await renderDatabaseMetrics(fixture.orm),
  ]
  const names = texts.flatMap(text => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!))
  const series = names.flatMap(name => [name, `${name}_sum`, `${name}_count`])
  expect(searched.length).toBeGreaterThan(10)
  expect(searched.filter(({ name }) => !series.some(one => one.startsWith(name)))).toEqual([])
})
