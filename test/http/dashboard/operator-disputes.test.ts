import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import { readServiceFacts } from '../../../src/db/repositories/service-facts.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { type DisputeRow, insertDispute } from '../support/dispute-rows.ts'
import { PASSWORD } from '../support/full-account.ts'

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
