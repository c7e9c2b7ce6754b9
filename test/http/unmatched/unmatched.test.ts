import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { returnPayout } from '../../../src/activities/unmatched/return-payout.ts'
import { addUser } from '../../../src/admin/users.ts'
import { depositRoutes } from '../../../src/api/deposits/routes.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { noQuery } from '../../../src/db/pipeline/query.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { receiveDeposit } from '../support/deposits.ts'
import { insertDispute } from '../support/dispute-rows.ts'

describe('return movement', () => {
  /** One PIX may have a return of ours and one of its provider's, by a dispute: each has its movement. */

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture?.close())

  test('our return’s movement is found although a dispute has returned the PIX in part since', async () => {
    const connection = await fixture.insertConnection(await fixture.insertAccount())
    const med = await insertDispute(fixture, { connection })
    const sql = <Row extends object>(query: string, values: unknown[]) =>
      fixture.orm.em.fork().execute<Row[]>(query, values)
    const [row] = await sql<{ original: string }>(
      'select movement_uuid as original from dispute where uuid = ?',
      [med],
    )
    const { original } = row!
    const returned = async (disputeUuid: string | null, ago: string) => {
      const uuid = randomUUID()
      await sql(
        `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, original_uuid, dispute_uuid, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'OUT', 1050, 'PENDING', ?, ?,
         now() - ?::interval, now() from connection where uuid = ?`,
        [uuid, original, disputeUuid, ago, connection],
      )
      return uuid
    }
    const orderedReturn = await returned(null, '1 hour')
    await returned(med, '0')
    await runInTransaction(fixture.orm, async em => {
      const [{ returnMovement }] = await returnPayout.lock(em, original, noQuery)
      expect(returnMovement?.uuid).toBe(orderedReturn)
    })
  })
})

describe('deposits', () => {
  /** A deposit, as the API and the dashboard show it, and what is refused before its return is ordered. */

  const PASSWORD = 'a long enough password'
  const DAY_MS = 86_400_000

  let fixture: ApiFixture
  let account: string
  let connection: string
  let token: string
  beforeAll(async () => {
    fixture = await openApiFixture([depositRoutes, dashboardRoutes])
    account = await fixture.insertAccount()
    connection = await fixture.insertConnection(account)
    token = await fixture.insertToken({ accountUuid: account })
  })
  afterAll(() => fixture?.close())

  const read = (uuid: string, by = token) => fixture.call('GET', `/api/v1/deposits/${uuid}`, { token: by })
  const order = (uuid: string, options: object = {}) =>
    fixture.call('POST', `/api/v1/deposits/${uuid}/return`, { token, ...options })
  const set = (uuid: string, columns: string) =>
    fixture.orm.em.execute(`update movement set ${columns} where uuid = ?`, [uuid])

  describe('GET /deposits/{uuid}', () => {
    test('shows the PIX, and null while it stays with the account', async () => {
      const uuid = await receiveDeposit(fixture, connection)
      expect(await read(uuid)).toMatchObject({
        status: 200,
        body: { data: { uuid, value: 10, reason: 'deposit', movement_type: 'IN', return: null } },
      })
    })

    test.each([
      ['held', 'PROCESSING'],
      ['not_returned', 'FAILED'],
    ])('shows a PIX that the account policy returns (%s) without an order', async (disposition, status) => {
      const uuid = await receiveDeposit(fixture, connection, { reason: 'second_payment' })
      await set(uuid, `disposition = '${disposition}'`)
      expect((await read(uuid)).body.data.return).toEqual({ status })
    })

    test('is 404 for another account, for the payment of a charge, and where there is nothing', async () => {
      const uuid = await receiveDeposit(fixture, connection)
      const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
      expect((await read(uuid, stranger)).status).toBe(404)
      await set(uuid, 'reason = null')
      expect((await read(uuid)).status).toBe(404)
      expect((await read(randomUUID())).status).toBe(404)
    })
  })

  describe('POST /deposits/{uuid}/return is refused', () => {
    test('with a body: a part of a deposit is not returned', async () => {
      const uuid = await receiveDeposit(fixture, connection)
      expect(await order(uuid, { body: { value: 5 } })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: { value: expect.any(Array) } },
      })
    })

    test('for a token without the scope', async () => {
      const uuid = await receiveDeposit(fixture, connection)
      const reader = await fixture.insertToken({ accountUuid: account, scopes: ['read', 'transfers'] })
      expect(await order(uuid, { token: reader })).toMatchObject({ status: 403 })
    })

    test.each([
      ['return_in_progress', "disposition = 'returning'"],
      ['deposit_not_returnable', "disposition = 'returned'"],
      ['deposit_not_returnable', "disposition = 'not_returned'"],
    ])('with %s where %s', async (code, columns) => {
      const uuid = await receiveDeposit(fixture, connection)
      await set(uuid, columns)
      expect(await order(uuid)).toMatchObject({ status: 409, body: { code } })
    })

    test('after 90 days', async () => {
      const old = await receiveDeposit(fixture, connection, { at: new Date(Date.now() - 91 * DAY_MS) })
      expect(await order(old)).toMatchObject({ status: 409, body: { code: 'return_period_over' } })
    })

    test('while a dispute about it is open', async () => {
      const dispute = await insertDispute(fixture, { connection })
      const [row] = await fixture.orm.em.execute<{ uuid: string }[]>(
        'select movement_uuid as uuid from dispute where uuid = ?',
        [dispute],
      )
      await set(row!.uuid, "reason = 'deposit'")
      expect(await order(row!.uuid)).toMatchObject({ status: 409, body: { code: 'return_med_open' } })
    })

    test('without the balance for it', async () => {
      const poor = await fixture.insertAccount()
      const uuid = await receiveDeposit(fixture, await fixture.insertConnection(poor))
      await fixture.orm.em.execute(
        `update balance set cents = 999 where account_uuid = ? and bucket = 'available' and cents > 0`,
        [poor],
      )
      const by = await fixture.insertToken({ accountUuid: poor })
      expect(await order(uuid, { token: by })).toMatchObject({
        status: 409,
        body: { code: 'insufficient_balance' },
      })
    })
  })

  describe('the page of a deposit', () => {
    test('offers its return to who may refund, and asks first', async () => {
      const uuid = await receiveDeposit(fixture, connection)
      const path = `/dashboard/unmatched/${uuid}`
      const visitAs = async (role: 'finance' | 'viewer') => {
        const email = `${role}-${randomUUID()}@trilho.test`
        await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account, role })
        const browser = createBrowser(fixture, { language: 'en' })
        await browser.signIn(email, PASSWORD)
        return browser
      }
      const viewer = await visitAs('viewer')
      expect((await viewer.get(path)).text).not.toContain(`action="${path}/return"`)
      const finance = await visitAs('finance')
      expect((await finance.get(path)).text).toContain(`action="${path}/return"`)
      const confirmation = await finance.send(`${path}/return`, { once: randomUUID() }, { on: path })
      expect(confirmation.text).toContain('Refund R$')
      const rows = await fixture.orm.em.execute('select from deposit_return where movement_uuid = ?', [uuid])
      expect(rows).toEqual([])
    })
  })

  describe('POST /deposits/{uuid}/assign', () => {
    const assign = (uuid: string, code: string, options: object = {}) =>
      fixture.call('POST', `/api/v1/deposits/${uuid}/assign`, {
        token,
        body: { qr_code_uuid: code },
        ...options,
      })
    /** An account of its own with a deposit, and the uuids of codes with an open amount. */
    async function createStory({ role = 'finance' }: { role?: 'finance' | 'viewer' } = {}) {
      const owner = await fixture.insertAccount()
      const ofOwner = await fixture.insertConnection(owner)
      const by = await fixture.insertToken({ accountUuid: owner })
      const newCode = async () => {
        const code = randomUUID()
        await fixture.orm.em.execute(
          `insert into qr_code (uuid, account_uuid, connection_uuid, provider_account_uuid, status, pix_key, txid, payload,
             request_id, fingerprint, created_at, updated_at)
           select ?, account_uuid, uuid, provider_account_uuid, 'ACTIVE', 'key', ?, 'payload', 'r', 'f', now(), now()
           from connection where uuid = ?`,
          [code, code.replaceAll('-', '').slice(0, 25), ofOwner],
        )
        return code
      }
      const email = `${role}-${randomUUID()}@trilho.test`
      await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: owner, role })
      const browser = createBrowser(fixture, { language: 'en' })
      await browser.signIn(email, PASSWORD)
      return {
        owner,
        by,
        browser,
        deposit: await receiveDeposit(fixture, ofOwner),
        codes: [await newCode(), await newCode()] as const,
      }
    }

    test('answers the charge that the deposit pays, and the same to a repeat with its key', async () => {
      const {
        by,
        deposit,
        codes: [code, other],
      } = await createStory()
      const headers = { 'idempotency-key': randomUUID() }
      const answers = await Promise.all(
        Array.from({ length: 3 }, () => assign(deposit, code, { token: by, headers })),
      )
      for (const answer of answers)
        expect(answer).toMatchObject({
          status: 200,
          body: {
            message: 'The deposit was assigned.',
            data: { status: 'PAID', total_value: 10, qr_code_uuid: code },
          },
        })
      const charge = answers[0]!.body.data.uuid
      expect(answers.map(({ body }) => body.data.uuid)).toEqual([charge, charge, charge])
      expect(answers.filter(one => one.headers.get('idempotent-replayed') === null)).toHaveLength(1)
      expect(await assign(deposit, other, { token: by, headers })).toMatchObject({
        status: 422,
        body: { code: 'idempotency_key_reused' },
      })
      expect(await assign(deposit, other, { token: by })).toMatchObject({
        status: 409,
        body: { code: 'deposit_not_assignable' },
      })
      expect((await read(deposit, by)).body.data).toMatchObject({ charge_uuid: charge, return: null })
      expect(await order(deposit, { token: by })).toMatchObject({
        status: 409,
        body: { code: 'deposit_not_returnable' },
      })
      const [row] = await fixture.orm.em.execute(
        'select token_number is not null as "isNamed", charge_uuid as charge from deposit_assignment where movement_uuid = ?',
        [deposit],
      )
      expect(row).toEqual({ isNamed: true, charge })
    })

    test('is refused for what is not of the account, and without the scope', async () => {
      const mine = await createStory()
      const theirs = await createStory()
      const unknown = await assign(mine.deposit, theirs.codes[0], { token: mine.by })
      expect(unknown).toMatchObject({
        status: 422,
        body: { errors: { qr_code_uuid: [expect.any(String)] } },
      })
      expect(await assign(theirs.deposit, mine.codes[0], { token: mine.by })).toMatchObject({ status: 404 })
      expect(await assign(mine.deposit, 'none', { token: mine.by })).toMatchObject({ status: 422 })
      const reader = await fixture.insertToken({ accountUuid: mine.owner, scopes: ['read', 'charges'] })
      expect(await assign(mine.deposit, mine.codes[0], { token: reader })).toMatchObject({ status: 403 })
      expect(await assign(mine.deposit, mine.codes[0], { token: mine.by, body: {} })).toMatchObject({
        status: 422,
        body: { errors: { qr_code_uuid: [expect.any(String)] } },
      })
    })

    test('a code that was disabled meanwhile does not fit', async () => {
      const {
        by,
        deposit,
        codes: [code],
      } = await createStory()
      await fixture.orm.em.execute("update qr_code set status = 'DISABLED' where uuid = ?", [code])
      expect(await assign(deposit, code, { token: by })).toMatchObject({
        status: 409,
        body: { code: 'qr_code_does_not_fit' },
      })
      expect((await read(deposit, by)).body.data).toMatchObject({ reason: 'deposit' })
    })

    test('the page of the deposit offers each code, asks first, and leads to the charge once, however often it is sent', async () => {
      const {
        browser,
        deposit,
        owner,
        codes: [code, other],
      } = await createStory()
      const path = `/dashboard/unmatched/${deposit}`
      expect((await browser.get('/dashboard/unmatched?outcome=credited&mode=test')).text).toContain(path)
      const { text } = await browser.get(path)
      for (const one of [code, other]) expect(text).toContain(`name="qr_code_uuid" value="${one}"`)
      const fields = { qr_code_uuid: code, once: randomUUID() }
      const question = await browser.send(`${path}/assign`, fields, { on: path })
      expect(question.text).toContain('Assign R$')
      expect((await browser.get(path)).text).toContain(`action="${path}/assign"`)
      const results = [
        ...(await Promise.all(
          Array.from({ length: 4 }, () => browser.confirm(`${path}/assign`, fields, { on: path })),
        )),
        await browser.call('GET', path),
      ]
      const [row] = await fixture.orm.em.execute<{ charge: string; user: boolean }[]>(
        'select charge_uuid as charge, user_uuid is not null as user from deposit_assignment where movement_uuid = ?',
        [deposit],
      )
      expect(row).toMatchObject({ user: true })
      for (const { status, headers } of results) {
        expect(status).toBe(303)
        expect(headers.get('location')).toContain(`/dashboard/charges/${row!.charge}`)
      }
      const { text: charge } = await browser.get(`/dashboard/charges/${row!.charge}`)
      expect(charge).toContain('Assigned the payment to the code')
      const acts = await fixture.orm.em.execute(
        "select from operator_action where action = 'deposit_assign' and account_uuid = ?",
        [owner],
      )
      expect(acts).toHaveLength(1)
    })

    test('the page offers nothing to who may not refund', async () => {
      const { browser, deposit } = await createStory({ role: 'viewer' })
      expect((await browser.get(`/dashboard/unmatched/${deposit}`)).text).not.toContain('/assign"')
    })
  })
})
