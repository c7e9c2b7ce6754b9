import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createMovement, postMovement } from '../../../src/activities/ledger/movements.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { buildPendingReturnLegs } from '../../../src/activities/unmatched/return-payout.ts'
import { addUser } from '../../../src/admin/users.ts'
import { findSignals, SIGNAL_RULES } from '../../../src/dashboard/pages/operator/signals.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { Movement } from '../../../src/db/entities/movement.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { readServiceFacts } from '../../../src/db/repositories/service-facts.ts'
import type { IncomingPix } from '../../../src/domain/providers/provider.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { type DisputeRow, insertDispute } from '../support/dispute-rows.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

describe('operator disputes', () => {
  /** What operators see of disputes before their deadline: the gauge of the alert, the next deadline and the list. */

  let fixture: ApiFixture
  let connection: string
  let operator: ReturnType<typeof createBrowser>
  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    connection = await fixture.insertConnection(await fixture.insertAccount())
    await addUser(fixture.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
    operator = createBrowser(fixture, { language: 'en' })
    await operator.signIn('op@trilho.test', PASSWORD)
  })
  afterAll(() => fixture.close())
  beforeEach(() => fixture.orm.em.fork().execute('delete from dispute'))

  const HOUR_MS = 3_600_000
  /** A dispute whose deadline, seven days after its opening, is in so many hours. */
  const insertDue = (hours: number, row: Partial<DisputeRow> = {}) =>
    insertDispute(fixture, {
      connection,
      createdAt: new Date(Date.now() + (hours - 168) * HOUR_MS).toISOString(),
      ...row,
    })

  async function readShown() {
    const samples = await readDatabaseGauges(fixture.orm.em.fork())
    const readGauge = (gauge: string) => samples.find(sample => sample.gauge === gauge)?.value
    const { text } = await operator.get('/dashboard/operator/disputes')
    return {
      urgent: readGauge('trilho_disputes_urgent'),
      urgentCents: readGauge('trilho_disputes_urgent_cents'),
      hasDeadline: (await readServiceFacts(fixture.orm.em.fork())).next_dispute_due_at !== null,
      listed: text.match(/<th scope="row">/g)?.length ?? 0,
      text,
    }
  }

  test('a dispute without a reply is urgent within a day of its deadline, and is listed before that', async () => {
    await insertDue(23)
    await insertDue(25)
    expect(await readShown()).toMatchObject({ urgent: 1, urgentCents: 1_000, hasDeadline: true, listed: 2 })
  })

  test('a dispute that the account opened takes no reply: it is not urgent and not listed', async () => {
    await insertDue(23, { kind: 'REQUESTED_MED' })
    expect(await readShown()).toMatchObject({ urgent: 0, urgentCents: 0, hasDeadline: false, listed: 0 })
  })

  test('a reply that has not reached the provider leaves its dispute urgent and listed, and is named there', async () => {
    await insertDue(23, { state: 'analysing', hasReply: true })
    const shown = await readShown()
    expect(shown).toMatchObject({ urgent: 1, urgentCents: 1_000, hasDeadline: true, listed: 1 })
    expect(shown.text).toContain('Reply not delivered to the provider')
    await fixture.orm.em.fork().execute(`update dispute set reply_state = 'sent'`)
    expect(await readShown()).toMatchObject({ urgent: 0, urgentCents: 0, hasDeadline: false, listed: 0 })
  })
})

describe('operator unmatched', () => {
  /** What an operator keeps of an unmatched PIX that was returned in part in the provider's panel. */

  const PATH = '/dashboard/operator/unmatched'
  const KEEP = '/dashboard/operator/keep'

  let fixture: ApiFixture
  let connection: Connection
  let operator: ReturnType<typeof createBrowser>
  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    const uuid = await fixture.insertConnection(await fixture.insertAccount())
    connection = await fixture.orm.em.fork().findOneOrFail(Connection, uuid)
    await addUser(fixture.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
    operator = createBrowser(fixture)
    await operator.signIn('op@trilho.test', PASSWORD)
  })
  afterAll(() => fixture.close())

  /** A second payment of R$ 10.00, and the form that keeps it, as its page shows it now. */
  async function createUnmatchedPix() {
    const payment = {
      endToEnd: `E${randomUUID().replaceAll('-', '').slice(1)}`,
      txid: '',
      cents: 1_000,
      status: 'settled',
      at: new Date().toISOString(),
    } as IncomingPix
    const { uuid } = await runInTransaction(fixture.orm, em =>
      recordUnmatchedPayment(em, { connection, payment, reason: 'second_payment', requestId: 'r' }),
    )
    return {
      async returnInPanel(cents: number) {
        await runInTransaction(fixture.orm, async em => {
          const original = await em.findOneOrFail(Movement, uuid)
          const { accountUuid, providerAccountUuid, connectionUuid } = original
          const returnMovement = createMovement(em, new Date(), {
            accountUuid,
            providerAccountUuid,
            connectionUuid,
            originalUuid: uuid,
            valueCents: cents,
            type: 'EXTERNAL_REFUND',
            movementType: 'OUT',
            status: 'SETTLED',
            reason: 'panel_return',
            settledAt: new Date(),
          })
          await postMovement(em, returnMovement, (await buildPendingReturnLegs(em, original, cents))!)
        })
      },
      async fillInForm() {
        const { text } = await operator.get(PATH)
        const article = text.slice(text.indexOf(payment.endToEnd))
        const form = article.slice(article.indexOf('name="act" value="keep"'))
        const fields = ['_csrf', 'uuid', 'disposition', 'sending', 'cents']
        return {
          ...Object.fromEntries(fields.map(name => [name, hiddenFieldOf(form, name) ?? ''])),
          reason: 'the payer’s account is closed',
        }
      },
    }
  }

  test('the page and its confirmation name what is left of the PIX', async () => {
    const pix = await createUnmatchedPix()
    await pix.returnInPanel(400)
    expect((await operator.get(PATH)).text).toContain('R$\u00a06,00')
    const question = await operator.send(KEEP, await pix.fillInForm(), { on: PATH })
    expect(question.text).toContain('R$\u00a06,00')
    expect(question.text).not.toContain('R$\u00a010,00')
    expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
  })

  test('a part that is returned after the page was loaded, or after its confirmation, is a conflict that names the rest', async () => {
    const pix = await createUnmatchedPix()
    await pix.returnInPanel(100)
    const form = await pix.fillInForm()
    await pix.returnInPanel(200)
    const stale = await operator.call('POST', KEEP, { form })
    expect([stale.status, stale.text.includes('R$\u00a07,00')]).toEqual([409, true])

    const question = await operator.call('POST', KEEP, { form: await pix.fillInForm() })
    await pix.returnInPanel(300)
    const confirmed = await operator.call('POST', KEEP, { form: hiddenFieldsOf(question.text) })
    expect([confirmed.status, confirmed.text.includes('R$\u00a04,00')]).toEqual([409, true])
  })
})

describe('operator signals', () => {
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
})
