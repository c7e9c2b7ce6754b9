import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import {
  countCalloutRequest,
  decideApprovalRequest,
  insertApproval,
  insertApprovalRequest,
} from '../../../src/db/repositories/approvals.ts'
import { DAY } from '../../../src/domain/shared/intervals.ts'
import { KEY, openCalloutFixture } from '../support/callout-fixture.ts'

/** Call-outs of approvals, from the order to the verdict: docs/specification.md, "Call-outs". */

type Fixture = Awaited<ReturnType<typeof openCalloutFixture>>
let fixture: Fixture
let account: Awaited<ReturnType<Fixture['createAccount']>>
let secret: string

beforeAll(async () => {
  fixture = await openCalloutFixture()
})
afterAll(() => fixture?.closeAll())
beforeEach(async () => {
  fixture.received.length = 0
  account = await fixture.createAccount()
  secret = account.limits.body.data.callout_token
})

const hold = (more?: Parameters<Fixture['hold']>[1]) => fixture.hold(account, more)
const show = (uuid: string) => fixture.show(uuid, account.token)
const answerJson = (body: unknown) => (response: ServerResponse) => response.end(JSON.stringify(body))
const refuse = answerJson({ approve: false })
const approve = answerJson({ approve: true })
const listVerdicts = (uuid: string) =>
  fixture.sql('select verdict, approver, reason from approval where subject_uuid = ? order by at', [uuid])

/** Lets the call-out of an order make all its requests. */
async function askThrice(uuid: string, options?: { guarded?: boolean }) {
  for (let requests = 1; requests <= 3; requests++) {
    await fixture.makeDue(uuid)
    await fixture.ask(uuid, options)
  }
}

describe('the request of a call-out', () => {
  test('is signed as a delivery is, and shows the transfer as its GET does', async () => {
    const uuid = await hold()
    const shown = await show(uuid)
    await fixture.ask(uuid)
    const [{ headers, body }] = fixture.received as [Fixture['received'][number]]
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(verified).toEqual({
      id: uuid,
      timestamp: expect.stringMatching(/Z$/),
      type: 'TRANSFER_APPROVAL',
      data: shown,
    })
    expect(headers).toMatchObject({
      'webhook-id': uuid,
      'x-request-id': 'the-request',
      'content-type': 'application/json',
    })
    expect(shown.approval.callout).toEqual({ approved: null, at: null, requests: 0, code: null })
  })

  test('is made five seconds after the order, and not before', async () => {
    const uuid = await hold()
    await fixture.sql(
      "update approval_request set callout_due_at = requested_at + interval '5 seconds' where subject_uuid = ?",
      [uuid],
    )
    const waiting = await fixture.advance(uuid)
    expect(waiting.calloutInMs).toBeGreaterThan(2_000)
    expect(waiting.calloutInMs).toBeLessThanOrEqual(5_000)
    await fixture.ask(uuid)
    expect(fixture.received).toEqual([])
    await fixture.makeDue(uuid)
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'held', calloutInMs: 0 })
  })

  test('is signed by the replaced secret too, for a day', async () => {
    const { body } = await fixture.call('POST', '/api/v1/limits/callout/rotate', { token: account.token })
    const uuid = await hold()
    await fixture.ask(uuid)
    const [request] = fixture.received
    for (const one of [secret, body.data.callout_token])
      new Webhook(one).verify(request!.body, request!.headers as Record<string, string>)
    expect(body.data.callout_token).not.toBe(secret)
  })

  test('asks about a batch by its sum', async () => {
    const [row] = await fixture.sql<{ uuid: string }>(
      `with ordered as (
         insert into transfer_batch (uuid, account_uuid, is_simulated, candidates, state, mode, on_short_balance, item_count, value_cents,
           history, user_uuid, request_id, fingerprint, created_at, updated_at)
         values (gen_random_uuid(), ?, true, array[?::uuid], 'draft', 'EACH', 'WAIT', 1, 20000,
           '[{"status": "DRAFT", "created_at": "2026-11-30T00:00:00.000000Z"}]', null, 'r', 'f', now(), now()) returning uuid
       ) insert into transfer_batch_item (batch_uuid, line, transfer_uuid, value_cents, external_ref, details)
       select uuid, 1, gen_random_uuid(), 20000, 'a', '{"pixKey": "ana@example.com"}' from ordered returning batch_uuid as uuid`,
      [account.accountUuid, account.connectionUuid],
    )
    const uuid = row!.uuid
    await request(uuid, 'batch')
    await fixture.ask(uuid)
    expect(JSON.parse(fixture.received[0]!.body)).toMatchObject({
      id: uuid,
      type: 'BATCH_APPROVAL',
      data: { uuid, status: 'DRAFT', value: 200, total: 1, approval: { needed: 1 } },
    })
    await fixture.say(uuid, 'approve')
    expect((await fixture.read(uuid)).decision).toBe('approved')
  })

  test('writes no key, name or document to the log', async () => {
    fixture.lines.length = 0
    const uuid = await hold()
    await fixture.ask(uuid)
    const log = fixture.lines.join('')
    expect(log).toContain(uuid)
    expect(log).not.toContain(KEY)
    expect(log).not.toContain(secret)
  })
})

/** Requests the approvals of a subject, with the call-out of the account. */
async function request(subjectUuid: string, subject: 'batch' | 'transfer', callout = true) {
  const at = new Date(Date.now() - 1_000)
  await runInTransaction(fixture.orm, em =>
    insertApprovalRequest(em, {
      subject,
      subjectUuid,
      accountUuid: account.accountUuid,
      author: { tokenNumber: account.tokenNumber },
      needed: 1,
      requestedAt: at,
      expiresAt: new Date(at.getTime() + DAY),
      callout: callout ? { url: fixture.url, dueAt: at } : null,
    }),
  )
}

describe('an order', () => {
  test('that the server approves needs the persons too, and is then sent', async () => {
    const uuid = await hold()
    await fixture.ask(uuid)
    expect(await listVerdicts(uuid)).toEqual([{ verdict: 'approve', approver: 'callout', reason: null }])
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'held', remainingMs: expect.any(Number) })
    expect((await show(uuid)).approval).toMatchObject({
      needed: 1,
      given: [],
      callout: { approved: true, at: expect.any(String), requests: 1, code: null },
    })
    await fixture.say(uuid, 'approve')
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'approved' })
    expect(fixture.outcomes.at(-1)).toBe('approved')
  })

  test('that a person has approved is sent once the server approves', async () => {
    const uuid = await hold()
    await fixture.say(uuid, 'approve')
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'held', calloutInMs: 0 })
    await fixture.ask(uuid)
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'approved' })
  })

  test('that the server refuses is cancelled at once, with its reason', async () => {
    fixture.script(refuse)
    const uuid = await hold()
    await fixture.say(uuid, 'approve')
    await fixture.ask(uuid)
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'cancelled' })
    expect(await show(uuid)).toMatchObject({
      status: 'CANCELLED',
      approval: {
        rejected: { by: 'callout', reason: 'callout_refused' },
        callout: { approved: false, requests: 1, code: 'callout_refused' },
      },
    })
    const [money] = await fixture.sql(
      `select coalesce(sum(held_cents), 0)::int as held from transfer where account_uuid = ?`,
      [account.accountUuid],
    )
    expect([money, fixture.received.length]).toEqual([{ held: 0 }, 1])
  })

  test('that is not above the value has no call-out', async () => {
    const uuid = await hold({ valueCents: 100_00 })
    expect(await fixture.sql('select from approval_request where subject_uuid = ?', [uuid])).toEqual([])
    await fixture.ask(uuid)
    expect(fixture.received).toEqual([])
  })

  test('that a person rejects meanwhile ends, and the server’s answer counts for nothing', async () => {
    const uuid = await hold()
    fixture.script(async response => {
      await fixture.say(uuid, 'reject')
      response.end('{"approve":true}')
    })
    await fixture.ask(uuid)
    expect(await listVerdicts(uuid)).toEqual([{ verdict: 'reject', approver: 'bia', reason: null }])
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'cancelled' })
  })

  test('that its maker cancels meanwhile ends, and the server’s answer counts for nothing', async () => {
    const uuid = await hold()
    fixture.script(async response => {
      await runInTransaction(fixture.orm, em => decideApprovalRequest(em, uuid, 'withdrawn'))
      response.end('{"approve":true}')
    })
    await fixture.ask(uuid)
    expect([await listVerdicts(uuid), (await fixture.read(uuid)).decision]).toEqual([[], 'withdrawn'])
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'cancelled' })
  })

  test('whose time is over meanwhile expires, and the server’s answer counts for nothing', async () => {
    const uuid = await hold()
    await fixture.say(uuid, 'approve')
    fixture.script(async response => {
      await fixture.sql('alter table approval_request disable trigger approval_request_decision')
      await fixture.sql(`update approval_request set expires_at = clock_timestamp() where subject_uuid = ?`, [
        uuid,
      ])
      await fixture.sql('alter table approval_request enable trigger approval_request_decision')
      response.end('{"approve":true}')
    })
    await fixture.ask(uuid)
    expect((await fixture.read(uuid)).given.map(one => one.approver)).toEqual(['bia'])
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'expired' })
  })
})

describe('what is no answer is asked again, three times in all, and is then a no:', () => {
  const status =
    (code: number, headers = {}) =>
    (response: ServerResponse) =>
      response.writeHead(code, headers).end('{"approve":true}')
  test.each<[string, (response: ServerResponse) => unknown, string]>([
    ['status 500', status(500), 'callout_bad_status'],
    ['status 404', status(404), 'callout_bad_status'],
    ['a redirect', status(302, { location: 'https://127.0.0.1/' }), 'callout_bad_status'],
    ['no body', response => response.end(), 'callout_bad_answer'],
    ['no JSON', response => response.end('approve=true'), 'callout_bad_answer'],
    ['another field', answerJson({ approved: true }), 'callout_bad_answer'],
    ['a text', answerJson({ approve: 'true' }), 'callout_bad_answer'],
    ['a number', answerJson({ approve: 1 }), 'callout_bad_answer'],
    ['a list', answerJson([true]), 'callout_bad_answer'],
    [
      'more than 32 kB',
      response => response.end(`{"approve":true}${' '.repeat(32_768)}`),
      'callout_bad_answer',
    ],
    [
      'a body that breaks off',
      response =>
        response
          .writeHead(200, { 'content-length': '99' })
          .write('{"approve":true}', () => response.socket?.destroy()),
      'callout_bad_answer',
    ],
    ['a compressed body', status(200, { 'content-encoding': 'gzip' }), 'callout_bad_answer'],
    ['a closed connection', response => response.socket?.destroy(), 'callout_unreachable'],
  ])('%s', async (_, answer, code) => {
    fixture.script(answer)
    const uuid = await hold()
    await fixture.ask(uuid)
    expect(await listVerdicts(uuid)).toEqual([])
    expect((await show(uuid)).approval.callout).toEqual({ approved: null, at: null, requests: 1, code })
    const { calloutInMs } = await fixture.advance(uuid)
    expect(calloutInMs).toBeGreaterThan(5_000)
    expect(calloutInMs).toBeLessThanOrEqual(10_000)
    for (const _ of [2, 3]) {
      fixture.script(answer)
      await fixture.makeDue(uuid)
      await fixture.ask(uuid)
    }
    expect(await listVerdicts(uuid)).toEqual([{ verdict: 'reject', approver: 'callout', reason: code }])
    expect(new Set(fixture.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([uuid]))
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'cancelled' })
    expect((await show(uuid)).approval).toMatchObject({
      rejected: { by: 'callout', reason: code },
      callout: { approved: false, requests: 3, code },
    })
    expect(fixture.outcomes.at(-1)).toBe('no_answer')
  })

  test('an answer after five seconds', async () => {
    fixture.script(response => setTimeout(() => response.end('{"approve":true}'), 5_500))
    const uuid = await hold()
    await fixture.ask(uuid)
    expect((await show(uuid)).approval.callout).toMatchObject({ requests: 1, code: 'callout_timeout' })
  })

  test('an address that became private after the URL was stored: nothing is sent', async () => {
    const uuid = await hold()
    await askThrice(uuid, { guarded: true })
    expect(fixture.received).toEqual([])
    expect(await listVerdicts(uuid)).toMatchObject([{ verdict: 'reject', reason: 'callout_unreachable' }])
  })

  test('but an answer of 32 kB, other fields and a later approval count', async () => {
    const long = { approve: true, note: '', id: 1 }
    fixture.script(
      status(503),
      answerJson({ ...long, note: 'x'.repeat(32_768 - JSON.stringify(long).length) }),
    )
    const uuid = await hold()
    await fixture.ask(uuid)
    await fixture.makeDue(uuid)
    await fixture.ask(uuid)
    expect(await listVerdicts(uuid)).toMatchObject([{ verdict: 'approve', approver: 'callout' }])
    expect((await show(uuid)).approval.callout).toMatchObject({ approved: true, requests: 2, code: null })
  })
})

describe('after a crash', () => {
  /** Counts a request as a worker does that ends before it stores the answer. */
  const interrupt = (uuid: string) => runInTransaction(fixture.orm, em => countCalloutRequest(em, uuid, 0))

  test('a call-out whose answer was not stored is asked again by the same id', async () => {
    const uuid = await hold()
    await interrupt(uuid)
    await fixture.ask(uuid)
    expect(fixture.received.map(({ headers }) => headers['webhook-id'])).toEqual([uuid])
    expect((await show(uuid)).approval.callout).toMatchObject({ approved: true, requests: 2 })
  })

  test('a call-out whose last answer was not stored ends without another request', async () => {
    const uuid = await hold()
    for (let requests = 1; requests <= 3; requests++) await interrupt(uuid)
    await fixture.ask(uuid)
    expect(fixture.received).toEqual([])
    expect(await listVerdicts(uuid)).toEqual([
      { verdict: 'reject', approver: 'callout', reason: 'callout_interrupted' },
    ])
    expect(await fixture.advance(uuid)).toMatchObject({ state: 'cancelled' })
  })

  test('an activity that is repeated after its verdict makes no request', async () => {
    const uuid = await hold()
    await fixture.ask(uuid)
    await fixture.makeDue(uuid)
    await fixture.ask(uuid)
    expect([fixture.received.length, (await listVerdicts(uuid)).length]).toEqual([1, 1])
  })

  test('an activity that is repeated while a request may be open makes none', async () => {
    const uuid = await hold()
    fixture.script(async response => {
      await fixture.ask(uuid)
      response.end('{"approve":true}')
    })
    await Promise.all([fixture.ask(uuid), fixture.ask(uuid)])
    expect([fixture.received.length, (await listVerdicts(uuid)).length]).toEqual([1, 1])
  })

  test('of two requests the first stored answer counts', async () => {
    const uuid = await hold()
    fixture.script(async response => {
      await fixture.makeDue(uuid)
      fixture.script(refuse)
      await fixture.ask(uuid)
      approve(response)
    })
    await fixture.ask(uuid)
    expect(fixture.received).toHaveLength(2)
    expect(await listVerdicts(uuid)).toEqual([
      { verdict: 'reject', approver: 'callout', reason: 'callout_refused' },
    ])
  })

  test('the failure of an earlier request changes nothing about a later one', async () => {
    const uuid = await hold()
    fixture.script(async response => {
      await interrupt(uuid)
      response.writeHead(500).end()
    })
    await fixture.ask(uuid)
    expect((await fixture.read(uuid)).callout).toMatchObject({ requestCount: 2, failure: null })
  })
})

describe('PostgreSQL refuses', () => {
  const violated = (work: Promise<unknown>) =>
    work.then(
      () => null,
      error => (error as { constraint: string }).constraint,
    )
  const insert = (uuid: string, verdict: 'approve' | 'reject', approver = 'callout') =>
    runInTransaction(fixture.orm, em =>
      insertApproval(em, uuid, { verdict, approver, reason: null, at: new Date() }),
    )
  const decide = (uuid: string) =>
    runInTransaction(fixture.orm, em => decideApprovalRequest(em, uuid, 'approved'))

  test('a verdict of a call-out that was not requested', async () => {
    const uuid = await hold()
    expect(await violated(insert(uuid, 'approve'))).toBe('approval_callout_requested')
  })

  test('a second verdict of a call-out', async () => {
    const uuid = await hold()
    await fixture.ask(uuid)
    expect(await violated(insert(uuid, 'reject'))).toBe('approval_callout_once')
  })

  test('an approval without the verdict of the call-out, and one without the persons', async () => {
    const [first, second] = [await hold(), await hold()]
    await insert(first, 'approve', 'bia')
    expect(await violated(decide(first))).toBe('approval_request_decision')
    await fixture.ask(second)
    expect(await violated(decide(second))).toBe('approval_request_decision')
  })

  test('an order without the call-out that is in force', async () => {
    const uuid = await hold({ valueCents: 1 })
    expect(await violated(request(uuid, 'transfer', false))).toBe('approval_request_with_callout')
  })

  test('another URL, and a fourth request', async () => {
    const uuid = await hold()
    expect(
      await violated(
        fixture.sql(`update approval_request set callout_url = 'https://x.test/' where subject_uuid = ?`, [
          uuid,
        ]),
      ),
    ).toBe('approval_request_decision')
    await fixture.sql('update approval_request set callout_requests = 1 where subject_uuid = ?', [uuid])
    await fixture.sql('update approval_request set callout_requests = 2 where subject_uuid = ?', [uuid])
    await fixture.sql('update approval_request set callout_requests = 3 where subject_uuid = ?', [uuid])
    expect(
      await violated(
        fixture.sql('update approval_request set callout_requests = 4 where subject_uuid = ?', [uuid]),
      ),
    ).toBe('approval_request_callout_requests_check')
  })
})

test('no person approves by the name of the call-out', async () => {
  const uuid = await hold()
  await expect(fixture.say(uuid, 'approve', 'Callout')).rejects.toMatchObject({
    code: 'approver_not_allowed',
  })
})
