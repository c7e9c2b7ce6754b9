import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { recordContest } from '../../../src/admin/contests.ts'
import { disputeRoutes } from '../../../src/api/disputes/routes.ts'
import { DAY, MINUTE } from '../../../src/domain/shared/intervals.ts'
import { encodeForm, FILES, type SentFile } from '../../support/files.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { receiveDeposit } from '../support/deposits.ts'
import { type DisputeRow, insertDispute } from '../support/dispute-rows.ts'

const MEDS = '/api/v1/meds'
const TEXTS: [string, string][] = [['analysis', 'The goods were received and signed for.']]
const BY = { actor: 'operator@example.com', reason: 'by post' }

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let fixture: ApiFixture
let account: { uuid: string; connection: string; token: string }
let stranger: string
beforeAll(async () => {
  folder = await createTemporaryFolder()
  fixture = await openApiFixture([disputeRoutes], { TRILHO_STORAGE_FOLDER: folder.path })
  const uuid = await fixture.insertAccount()
  const connection = await fixture.insertConnection(uuid)
  account = { uuid, connection, token: await fixture.insertToken({ accountUuid: uuid }) }
  stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
})
afterAll(async () => {
  await fixture?.close()
  await folder?.remove()
})

/** A dispute by which R$ 10.00 were returned. */
const insertReturned = (row: Partial<DisputeRow> = {}) =>
  insertDispute(fixture, {
    connection: account.connection,
    state: 'resolved',
    returnedAt: new Date(),
    ...row,
  })
const daysAgo = (days: number) => new Date(Date.now() - days * DAY)

async function contest(
  uuid: string,
  {
    token = account.token,
    texts = TEXTS,
    files = [] as SentFile[],
    key,
  }: { token?: string; texts?: [string, string][]; files?: SentFile[]; key?: string } = {},
) {
  const form = await encodeForm(texts, files)
  const headers = { ...form.headers, ...(key && { 'Idempotency-Key': key }) }
  return fixture.call('POST', `${MEDS}/${uuid}/contest`, { token, ...form, headers })
}
const read = async (uuid: string) =>
  (await fixture.call('GET', `${MEDS}/${uuid}`, { token: account.token })).body.data
const listContestable = async (value: string) => {
  const { body } = await fixture.call('GET', `${MEDS}?contestable=${value}&per_page=100`, {
    token: account.token,
  })
  return body.data.map(({ uuid }: { uuid: string }) => uuid) as string[]
}
const record = async (uuid: string, progress: Parameters<typeof recordContest>[2]['record']) =>
  recordContest(fixture.orm.em.fork(), fixture.dependencies.storage, {
    disputeUuid: uuid,
    record: progress,
    by: BY,
  })
const readEvents = (uuid: string) =>
  fixture.orm.em.execute<{ body: { contest?: { status: string } } }[]>(
    `select body from event where subject_uuid = ? order by sequence`,
    [uuid],
  )

describe('a contest', () => {
  test('is stored once with its files, told by an event, and shown by the dispute', async () => {
    const uuid = await insertReturned()
    expect(await listContestable('true')).toContain(uuid)
    const answer = await contest(uuid, { files: [{ bytes: FILES.pdf }] })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({
      uuid,
      status: 'ACCEPTED',
      resolved: true,
      attachments: [{ url: expect.any(String) }],
      contest: { status: 'PENDING', analysis: 'The goods were received and signed for.' },
      contestable_until: expect.stringMatching(/T03:00:00/),
    })
    expect(await read(uuid)).toEqual(answer.body.data)
    expect((await readEvents(uuid)).map(({ body }) => body.contest?.status)).toEqual(['PENDING'])
    expect(await listContestable('true')).not.toContain(uuid)
    expect(await listContestable('false')).toContain(uuid)
    const again = await contest(uuid, { files: [{ bytes: FILES.pdf }] })
    expect([again.status, again.body.code]).toEqual([409, 'med_not_contestable'])
  })

  test('is replayed under its key, and refused with another body', async () => {
    const uuid = await insertReturned()
    const key = randomUUID()
    const first = await contest(uuid, { key, files: [{ bytes: FILES.png }] })
    await record(uuid, { event: 'sent', protocol: 'P-1' })
    const second = await contest(uuid, { key, files: [{ bytes: FILES.png }] })
    expect(second.headers.get('Idempotent-Replayed')).toBe('true')
    expect({ ...second.body.data, attachments: [], updated_at: '' }).toEqual({
      ...first.body.data,
      attachments: [],
      updated_at: '',
    })
    const other = await contest(uuid, { key, texts: [['analysis', 'Other']] })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('is one of ten concurrent ones, whose files are removed but its own', async () => {
    const uuid = await insertReturned()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => contest(uuid, { files: [{ bytes: FILES.jpeg }] })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await readdir(`${folder.path}/meds/${uuid}`)).toHaveLength(1)
    expect((await read(uuid)).attachments).toHaveLength(1)
  })

  test.each<[string, Partial<DisputeRow>, string]>([
    ['about money that was not returned', { returnedAt: undefined as never }, 'med_not_contestable'],
    ['that waits for a reply', { state: 'open', returnedAt: undefined as never }, 'med_not_contestable'],
    ['of a transfer', { kind: 'REQUESTED_MED', returnedAt: undefined as never }, 'med_not_contestable'],
    ['whose return is 82 days old', { returnedAt: daysAgo(82) }, 'contest_period_over'],
  ])('of a dispute %s is refused', async (_, row, code) => {
    const uuid = await insertReturned(row)
    const answer = await contest(uuid)
    expect([answer.status, answer.body.code]).toEqual([409, code])
    expect(await listContestable('1')).not.toContain(uuid)
  })

  test('of a return of 79 days ago is accepted', async () => {
    const uuid = await insertReturned({ returnedAt: daysAgo(79) })
    expect((await contest(uuid)).status).toBe(200)
  })

  test.each<[string, [string, string][], SentFile[], string]>([
    ['no analysis', [], [], 'analysis'],
    ['an empty analysis', [['analysis', '  ']], [], 'analysis'],
    ['a long analysis', [['analysis', 'x'.repeat(2_001)]], [], 'analysis'],
    ['a field of the reply', [...TEXTS, ['accept', '1']], [], 'accept'],
    ['a file that is none of the kinds', TEXTS, [{ bytes: FILES.html }], 'attachments.0.file'],
  ])('with %s is refused by the member', async (_, texts, files, member) => {
    const uuid = await insertReturned()
    const answer = await contest(uuid, { texts, files })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([member])
  })

  test('of another account is not found', async () => {
    const uuid = await insertReturned()
    expect((await contest(uuid, { token: stranger })).status).toBe(404)
    expect((await contest(randomUUID())).status).toBe(404)
  })
})

describe('what became of a contest', () => {
  test('is recorded with its author, shown, and told by events', async () => {
    const uuid = await insertReturned()
    await contest(uuid)
    const movement = await receiveDeposit(fixture, account.connection)
    expect(await record(uuid, { event: 'sent', protocol: 'P-7' })).toBe(true)
    expect(await record(uuid, { event: 'sent', protocol: 'P-7' })).toBe(false)
    expect(await record(uuid, { event: 'accepted', movementUuid: movement })).toBe(true)
    expect(await record(uuid, { event: 'accepted', movementUuid: movement })).toBe(false)
    expect((await read(uuid)).contest).toMatchObject({ status: 'ACCEPTED', protocol: 'P-7', value: 10 })
    const events = await readEvents(uuid)
    expect(events.map(({ body }) => body.contest?.status)).toEqual(['PENDING', 'PROCESSING', 'ACCEPTED'])
    const acts = await fixture.orm.em.execute(
      'select action, actor, reason from operator_action where subject = ? order by at',
      [`med/${uuid}`],
    )
    expect(acts).toEqual(['contest_sent', 'contest_accepted'].map(action => ({ action, ...BY })))
  })

  test('is a rejection, after which nothing changes', async () => {
    const uuid = await insertReturned()
    await contest(uuid)
    await record(uuid, { event: 'sent', protocol: 'P-8' })
    expect(await record(uuid, { event: 'rejected' })).toBe(true)
    const movement = await receiveDeposit(fixture, account.connection)
    await expect(record(uuid, { event: 'accepted', movementUuid: movement })).rejects.toThrow(
      'the contest is REJECTED',
    )
    expect((await read(uuid)).contest).not.toHaveProperty('value')
  })

  test('is refused where it is not contested, or was not handed in', async () => {
    const uuid = await insertReturned()
    await expect(record(uuid, { event: 'rejected' })).rejects.toThrow('is not contested')
    await expect(record(randomUUID(), { event: 'rejected' })).rejects.toThrow('there is no dispute')
    await contest(uuid)
    await expect(record(uuid, { event: 'rejected' })).rejects.toThrow('the contest is PENDING')
  })

  describe('is credited by one movement of the account at the provider', () => {
    const credit = async (uuid: string, movementUuid: string) => {
      await contest(uuid)
      await record(uuid, { event: 'sent', protocol: 'P' })
      return record(uuid, { event: 'accepted', movementUuid })
    }

    test('that is no payment of a charge', async () => {
      const uuid = await insertReturned()
      const movement = await receiveDeposit(fixture, account.connection, { reason: 'second_payment' })
      await expect(credit(uuid, movement)).rejects.toThrow('is no deposit, credit or correction')
    })

    test('that is not of another provider', async () => {
      const uuid = await insertReturned()
      const other = await fixture.insertConnection(account.uuid, { provider: 'PROVIDER_B' })
      await expect(credit(uuid, await receiveDeposit(fixture, other))).rejects.toThrow('is no deposit')
    })

    test('that is that of no other contest', async () => {
      const [first, second] = [await insertReturned(), await insertReturned()]
      const movement = await receiveDeposit(fixture, account.connection)
      await credit(first, movement)
      await expect(credit(second, movement)).rejects.toThrow('is that of another contest')
    })

    test('of at most what was returned', async () => {
      const uuid = await insertReturned()
      await fixture.orm.em.execute('update dispute set returned_cents = 999 where uuid = ?', [uuid])
      const movement = await receiveDeposit(fixture, account.connection)
      await expect(credit(uuid, movement)).rejects.toThrow('is more than was returned')
    })
  })

  test.each([
    ['a step that the table lacks', `state = 'rejected', decided_at = now()`, 'contest_transition'],
    ['a hand-over without a protocol', `state = 'sent', sent_at = now()`, 'contest_sent'],
    ['a way back', `state = 'pending', sent_at = null, protocol = null`, 'contest_transition'],
    ['a credit of nothing', `state = 'accepted', decided_at = now()`, 'contest_credited'],
    [
      'a value without a movement',
      `state = 'accepted', decided_at = now(), value_cents = 1`,
      'contest_credited',
    ],
  ])('is not %s in the database either', async (name, change, constraint) => {
    const uuid = await insertReturned()
    await contest(uuid)
    if (!/step|hand-over/.test(name)) await record(uuid, { event: 'sent', protocol: 'P' })
    await expect(
      fixture.orm.em.execute(`update contest set ${change} where dispute_uuid = ?`, [uuid]),
    ).rejects.toMatchObject({ constraint })
  })

  test.each([
    ['of a dispute without a return', {}, 'contest_disputed'],
    ['of a dispute of a transfer', { kind: 'REQUESTED_MED' }, 'contest_disputed'],
  ])('is none %s in the database either', async (_, row, constraint) => {
    const uuid = await insertDispute(fixture, { connection: account.connection, ...row })
    await expect(
      fixture.orm.em.execute(
        `insert into contest (dispute_uuid, account_uuid, state, analysis, request_id, order_uuid, fingerprint, created_at, updated_at)
         values (?, ?, 'pending', 'x', 'r', ?, 'f', now(), now())`,
        [uuid, account.uuid, uuid],
      ),
    ).rejects.toMatchObject({ constraint })
  })

  test('of a return that has no day, and a credit of two contests, is none in the database either', async () => {
    const [first, second] = [await insertReturned(), await insertReturned()]
    await expect(
      fixture.orm.em.execute('update dispute set returned_at = null where uuid = ?', [first]),
    ).rejects.toMatchObject({ constraint: 'dispute_returned' })
    const movement = await receiveDeposit(fixture, account.connection)
    for (const uuid of [first, second]) {
      await contest(uuid)
      await record(uuid, { event: 'sent', protocol: 'P' })
    }
    const accept = (uuid: string) =>
      fixture.orm.em.execute(
        `update contest set state = 'accepted', decided_at = now(), value_cents = 1000, movement_uuid = ?
         where dispute_uuid = ?`,
        [movement, uuid],
      )
    await accept(first)
    await expect(accept(second)).rejects.toMatchObject({ constraint: 'contest_movement_uuid_key' })
  })

  test('is no more than was returned in the database either', async () => {
    const uuid = await insertReturned()
    await contest(uuid)
    await record(uuid, { event: 'sent', protocol: 'P' })
    const movement = await receiveDeposit(fixture, account.connection)
    await fixture.orm.em.execute('update dispute set returned_cents = 999 where uuid = ?', [uuid])
    await expect(
      fixture.orm.em.execute(
        `update contest set state = 'accepted', decided_at = now(), value_cents = 1000, movement_uuid = ?
         where dispute_uuid = ?`,
        [movement, uuid],
      ),
    ).rejects.toMatchObject({ constraint: 'contest_credited' })
  })
})

test('a return a minute before the last day is over may no longer be contested a day later', async () => {
  const uuid = await insertReturned({ returnedAt: new Date(daysAgo(81).getTime() - MINUTE) })
  expect((await contest(uuid)).body.code).toBe('contest_period_over')
})
