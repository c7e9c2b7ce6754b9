import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { findSignals, SIGNAL_RULES } from '../../../src/dashboard/pages/operator/signals.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

/** The operators' first page says what is wrong, or that nothing is. */

describe('the signals', () => {
  test.each(Object.entries(SIGNAL_RULES))('%s is raised where its alert is', async (gauge, rule) => {
    const alerts = await readFile(new URL('../../../deploy/alerts.yml', import.meta.url), 'utf8')
    const limit = new RegExp(`${gauge}\\)* (?:> (\\d+)|!= (0)|== (1))`).exec(alerts)
    const [, above, other, one] = limit!
    expect(Number(above ?? other ?? Number(one) - 1)).toBe(rule.above)
    const pages = `docs/runbooks/${rule.runbook}.md\n          dashboard: /dashboard/operator/${rule.page}\n`
    expect(alerts).toContain(pages)
  })

  test('add up counts, name their labels, and take the oldest of ages', () => {
    const sample = (gauge: string, label: string | null, value: number) => ({
      gauge,
      value,
      labels: label === null ? null : [label],
    })
    const signals = findSignals([
      sample('trilho_breakers_open', 'PROVIDER_A', 2),
      sample('trilho_breakers_open', 'PROVIDER_B', 1),
      sample('trilho_unknown_oldest_seconds', 'PROVIDER_A', 599),
      sample('trilho_unknown_oldest_seconds', 'PROVIDER_B', 700),
      sample('trilho_unknown_oldest_seconds', 'PROVIDER_C', 9_000),
      sample('trilho_provider_notifications_oldest_seconds', null, 900),
      sample('trilho_ledger_drift_cents', null, -5),
    ])
    expect(signals).toMatchObject([
      { gauge: 'trilho_ledger_drift_cents', value: 5, labels: [] },
      { gauge: 'trilho_breakers_open', value: 3, labels: ['PROVIDER_A', 'PROVIDER_B'] },
      { gauge: 'trilho_unknown_oldest_seconds', value: 9_000, labels: ['PROVIDER_B', 'PROVIDER_C'] },
    ])
  })
})

describe('the page', () => {
  let fixture: ApiFixture
  let operator: ReturnType<typeof createBrowser>
  const sql = (query: string, values: unknown[] = []) => fixture.orm.em.fork().execute(query, values)
  const page = async () => (await operator.get('/dashboard/operator')).text

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes], {})
    await addUser(fixture.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
    operator = createBrowser(fixture, { language: 'en' })
    await operator.signIn('op@trilho.test', PASSWORD)
  })
  afterAll(() => fixture.close())

  test('says that no worker runs, and with one that everything is in order', async () => {
    expect(await page()).toContain('No worker is running')
    await sql(
      `insert into provider_reach (worker, origin, probed_at, reached_at) values ('w', 'https://p', now(), now())`,
    )
    expect(await page()).toContain('Everything is in order.')
    expect(await page()).not.toContain('Needs an operator now')
  })

  test('names what is wrong with its value, and leads to the page that acts', async () => {
    const ours = await createFullAccount(fixture)
    await sql(
      `insert into circuit_breaker (connection_uuid, opened_at) values (?, now())
       on conflict (connection_uuid) do update set opened_at = now()`,
      [ours.connection],
    )
    const text = await page()
    expect(text).not.toContain('Everything is in order.')
    expect(text).toMatch(
      /href="\/dashboard\/operator\/providers"><strong>Open circuit breakers<\/strong><\/a>: 1/,
    )
    expect(text).toMatch(
      /href="\/dashboard\/operator\/unknown"><strong>Oldest unknown outcome<\/strong><\/a>: 3 hours/,
    )
    expect(text).toContain('<a href="/docs/provider-down">provider-down</a>')
    expect(text).toMatch(
      /<a href="\/dashboard\/operator\/unknown"><span>Unknown outcomes<\/span> <strong>1, R\$7\.77<\/strong> <small>the oldest: 3 hours</,
    )
    // Every line and every figure leads to a page that is served, and to its place there.
    const main = text.slice(text.indexOf('<main'))
    const links = new Set(
      Array.from(main.matchAll(/href="(\/dashboard\/operator[^"]*)"/g), ([, path]) => path!),
    )
    expect(links.size).toBeGreaterThan(10)
    for (const link of links) {
      const [path, place] = link.split('#')
      const led = await operator.get(path!)
      expect([link, led.status, place === undefined || led.text.includes(`id="${place}"`)]).toEqual([
        link,
        200,
        true,
      ])
    }
    // The metric and the page show the same value, from one query.
    const samples = await readDatabaseGauges(fixture.orm.em.fork())
    expect(samples).toContainEqual({ gauge: 'trilho_unknown_cents', labels: ['PROVIDER_A'], value: 777 })
  })
})
