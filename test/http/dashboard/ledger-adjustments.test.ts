import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { storeAccountEntries } from '../../../src/db/repositories/account-entries.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { slowDownWrites } from '../support/failing-writes.ts'
import { PASSWORD } from '../support/full-account.ts'

/** The operator's page of provider entries and adjustments: one operator proposes, another approves. */

const PATH = '/dashboard/operator/entries'
const [ANA, BIA] = ['ana@trilho.test', 'bia@trilho.test'] as const

let fixture: ApiFixture
let connection: Connection
let ana: ReturnType<typeof createBrowser>
let bia: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  const accountUuid = await fixture.insertAccount()
  const uuid = await fixture.insertConnection(accountUuid)
  const em = fixture.orm.em.fork()
  connection = await em.findOneOrFail(Connection, uuid)
  await postOpeningBalance(em, connection, 10_000)
  const signedIn = async (email: string) => {
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })
    const browser = createBrowser(fixture)
    await browser.signIn(email, PASSWORD)
    return browser
  }
  ana = await signedIn(ANA)
  bia = await signedIn(BIA)
})
afterAll(() => fixture.close())

const sql = <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
  fixture.orm.em.fork().execute(query, values)
const available = async () =>
  Number(
    (
      await sql<{ cents: string }>(
        `select cents from balance where account_uuid = ? and bucket = 'available'`,
        [connection.accountUuid],
      )
    )[0]!.cents,
  )
const proposed = () =>
  sql<{ uuid: string; movement_uuid: string | null }>(
    'select uuid, movement_uuid from ledger_adjustment order by proposed_at desc',
  )

/** A statement entry of so many centavos that is undocumented. */
async function entry(cents: number): Promise<string> {
  const id = randomUUID()
  await storeAccountEntries(fixture.orm.em.fork(), connection.providerAccountUuid, [
    { id, kind: 'unlisted', type: 'INTERNAL_TRANSFER', cents, at: new Date().toISOString() },
  ])
  const [row] = await sql<{ uuid: string }>('select uuid from account_entry where entry_id = ?', [id])
  return row!.uuid
}

const proposal = (more: Record<string, string> = {}) => ({
  connection: connection.uuid,
  direction: 'IN',
  value: '4,00',
  reason: 'from our other account',
  ...more,
})
const propose = (form: Record<string, string>) => ana.confirm(`${PATH}/adjust`, form, { on: PATH })
const approve = (who: typeof ana, adjustment: string, reason = 'seen in the panel') =>
  who.confirm(`${PATH}/approve`, { adjustment, reason }, { on: PATH })

test('a statement entry is proposed by one operator and posted by another, once', async () => {
  const uuid = await entry(400)
  expect((await ana.get(PATH)).text).toContain(uuid)
  expect((await propose(proposal({ entry: uuid }))).status).toBe(303)
  const adjustment = (await proposed())[0]!.uuid
  expect(await available()).toBe(10_000)

  const ownPage = await ana.get(PATH)
  expect(ownPage.text).toContain('Outro operador precisa aprovar.')
  expect(ownPage.text).not.toContain(`name="adjustment" value="${adjustment}"`)
  expect((await approve(ana, adjustment)).status).toBe(403)
  expect((await approve(bia, adjustment, ' ')).status).toBe(422)
  expect(await available()).toBe(10_000)

  expect((await bia.get(PATH)).text).toContain(`name="adjustment" value="${adjustment}"`)
  expect((await approve(bia, adjustment)).status).toBe(303)
  expect(await available()).toBe(10_400)
  // The same operator's repeat finds it posted.
  expect((await approve(bia, adjustment)).status).toBe(303)
  expect(await available()).toBe(10_400)
  const { text } = await bia.get(PATH)
  expect([text.includes(uuid), text.includes(adjustment)]).toEqual([false, false])
  expect(
    await sql('select actor, action from operator_action where subject = ? order by action', [
      `adjustment/${adjustment}`,
    ]),
  ).toEqual([
    { actor: ANA, action: 'ledger_adjust' },
    { actor: BIA, action: 'ledger_approve' },
  ])
})

test('a correction without an entry parses the amount in the page’s language', async () => {
  expect((await propose(proposal({ direction: 'OUT', value: '1.234,56' }))).status).toBe(303)
  const [row] = await sql(
    'select movement_type, value_cents::int as cents from ledger_adjustment order by proposed_at desc limit 1',
  )
  expect(row).toEqual({ movement_type: 'OUT', cents: 123_456 })
})

test.each<[what: string, form: () => Promise<Record<string, string>>, status: number]>([
  ['no amount', async () => proposal({ value: 'abc' }), 422],
  ['nothing', async () => proposal({ value: '0,00' }), 422],
  ['no reason', async () => proposal({ reason: '' }), 422],
  ['an unknown connection', async () => proposal({ connection: randomUUID() }), 422],
  ['no direction', async () => proposal({ direction: '' }), 422],
  ['another value than its entry', async () => proposal({ entry: await entry(500) }), 422],
  ['an entry that is there no more', async () => proposal({ entry: randomUUID() }), 409],
])('%s is refused, and nothing is proposed', async (_, form, status) => {
  const before = await proposed()
  expect((await propose(await form())).status).toBe(status)
  expect(await proposed()).toEqual(before)
})

test('a proposal that expired, was already posted, or does not exist is not posted', async () => {
  const [late] = await sql<{ uuid: string }>(
    `insert into ledger_adjustment (uuid, account_uuid, connection_uuid, movement_type, value_cents, reason, proposed_by,
       proposed_at, expires_at)
     select gen_random_uuid(), ?, ?, 'IN', 400, 'old', uuid, now() - interval '9 days', now() - interval '2 days'
     from app_user where email = ? returning uuid`,
    [connection.accountUuid, connection.uuid, ANA],
  )
  expect((await approve(bia, late!.uuid)).status).toBe(409)
  expect((await approve(bia, randomUUID())).status).toBe(404)
  const [booked] = (await proposed()).filter(one => one.movement_uuid !== null)
  const email = 'cora@trilho.test'
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })
  const cora = createBrowser(fixture)
  await cora.signIn(email, PASSWORD)
  const before = await available()
  expect((await approve(cora, booked!.uuid)).status).toBe(409)
  expect(await available()).toBe(before)
})

test('a proposal and an approval that are late are rolled back, so that none is booked after the answer', async () => {
  const before = [await proposed(), await available()]
  const whileSlow = async (send: () => ReturnType<typeof propose>) => {
    const writes = await slowDownWrites(sql, ['ledger_adjustment', 'operator_action'])
    const { status } = await send()
    await writes.end()
    return status
  }
  expect(await whileSlow(() => propose(proposal({ value: '7,31' })))).toBe(503)
  expect([await proposed(), await available()]).toEqual(before)

  expect((await propose(proposal({ value: '7,31' }))).status).toBe(303)
  const { uuid } = (await proposed())[0]!
  expect(await whileSlow(() => approve(bia, uuid))).toBe(503)
  expect([(await proposed())[0]!.movement_uuid, await available()]).toEqual([null, before[1]])
})
