import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { giveVerdict, type VerdictRequest } from '../../../src/api/operations/approvals.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { countAccountTasks } from '../../../src/db/repositories/account-tasks.ts'
import {
  decideApprovalRequest,
  insertApproval,
  insertApprovalRequest,
  listWaitingApprovals,
  queryApproval,
} from '../../../src/db/repositories/approvals.ts'
import { HOUR } from '../../../src/domain/shared/intervals.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Verdicts about whatever waits: docs/specification.md, "Approvals". The subject here is a batch, which needs no row. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

let accountUuid: string
let maker: { uuid: string; tokenNumber: number }
let subjectUuid: string
const sql = <T extends object>(text: string, values: unknown[] = []) =>
  fixture.orm.em.execute<T[]>(text, values)

/** Inserts a user of the account; its session has the user's uuid. */
async function insertUser(email: string, role = 'finance'): Promise<{ uuid: string }> {
  const uuid = randomUUID()
  await sql(
    `insert into app_user (uuid, account_uuid, email, password_hash, role) values (?, ?, ?, '$argon2id$', ?)`,
    [uuid, role === 'operator' ? null : accountUuid, email, role],
  )
  return { uuid }
}

/** Issues a token that a person has made; null: a program. */
async function insertToken(author: string | null): Promise<{ uuid: string; tokenNumber: number }> {
  const text = await fixture.insertToken({ accountUuid })
  const [row] = await sql<{ uuid: string; number: number }>(
    `update token set author = ? where hash = sha256(convert_to(?, 'UTF8')) returning uuid, number`,
    [author, text],
  )
  return { uuid: row!.uuid, tokenNumber: row!.number }
}

/** Issues a token that a user of the account has made. */
async function insertTokenOf(email: string, role: string): Promise<{ uuid: string }> {
  await insertUser(email, role)
  return insertToken(email)
}

const request = (author: object, needed = 1, hours = 72) =>
  runInTransaction(fixture.orm, async em => {
    subjectUuid = randomUUID()
    const at = new Date(Date.now() - 1_000)
    const expiresAt = new Date(at.getTime() + hours * HOUR)
    await insertApprovalRequest(em, {
      subject: 'batch',
      subjectUuid,
      accountUuid,
      author,
      needed,
      requestedAt: at,
      expiresAt,
      callout: null,
    })
  })

type Who = { token: { uuid: string } } | { person: string }
const say = (verdict: VerdictRequest['verdict'], who: Who) =>
  runInTransaction(fixture.orm, em => giveVerdict(em, { subjectUuid, verdict, ...who })).catch(
    error => (error as { code: string }).code,
  )
const approve = (who: Who) => say('approve', who)
const by = (token: { uuid: string }) => ({ token })
const read = () => runQuery(fixture.orm.em.fork(), queryApproval(subjectUuid))
const readApprovers = async () => (await read())!.given.map(({ approver }) => approver)

beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  // The last owner of an account stays.
  await sql(`update app_user set email = uuid || '@earlier.com' where email like '%@shop.com'`)
  maker = await insertToken('ana@shop.com')
  await request(maker)
})

describe('the maker is refused', () => {
  test.each<[string, () => Promise<Who>]>([
    ['through the token that ordered it', async () => by(maker)],
    ['through another token of the same person', async () => by(await insertToken('ana@shop.com'))],
    ['through the dashboard', async () => by(await insertUser('ana@shop.com', 'owner'))],
    ['through the command', async () => ({ person: 'Ana@Shop.com' })],
  ])('%s', async (_, door) => {
    const who = await door()
    expect([await approve(who), await say('reject', who)]).toEqual(['approver_is_maker', 'approver_is_maker'])
    expect(await readApprovers()).toEqual([])
  })

  test.each<[string, () => Promise<Who>]>([
    ['through a token of the same user', async () => by(await insertToken('ana@shop.com'))],
    ['through the session that ordered it', async () => by(await ana())],
    ['through the command', async () => ({ person: 'ana@shop.com' })],
  ])('of an order of the dashboard %s', async (_, door) => {
    await request({ userUuid: (await ana()).uuid })
    expect(await approve(await door())).toBe('approver_is_maker')
  })

  test('of an order by a token of an operator, through the command of that operator', async () => {
    await request(await insertToken('root'))
    expect(await approve({ person: 'root' })).toBe('approver_is_maker')
    expect(await approve({ person: 'ops' })).toBe(true)
  })

  test('though its token was revoked and its user removed meanwhile, and invited again', async () => {
    const { uuid } = await ana()
    await sql('update token set revoked_at = now() where uuid = ?', [maker.uuid])
    await sql('update app_user set removed_at = now() where uuid = ?', [uuid])
    expect(await approve(by(await insertUser('ana@shop.com')))).toBe('approver_is_maker')
  })

  async function ana(): Promise<{ uuid: string }> {
    const [row] = await sql<{ uuid: string }>(`select uuid from app_user where email = 'ana@shop.com'`)
    return row ?? insertUser('ana@shop.com')
  }
})

describe('who may send money approves', () => {
  test.each<[string, () => Promise<Who>, unknown]>([
    ['a token of another user', async () => by(await insertTokenOf('bia@shop.com', 'finance')), true],
    ['a token that an operator made', async () => by(await insertToken('root')), true],
    ['an owner in the dashboard', async () => by(await insertUser('bia@shop.com', 'owner')), true],
    ['a command', async () => ({ person: 'root' }), true],
    ['no token that a program made', async () => by(await insertToken(null)), 'approver_not_allowed'],
    ['no developer', async () => by(await insertUser('dev@shop.com', 'developer')), 'approver_not_allowed'],
    [
      'no token of a developer',
      async () => by(await insertTokenOf('dev@shop.com', 'developer')),
      'approver_not_allowed',
    ],
    [
      'no token of a removed user',
      async () => {
        const { uuid } = await insertUser('bia@shop.com')
        await sql('update app_user set removed_at = now() where uuid = ?', [uuid])
        return by(await insertToken('bia@shop.com'))
      },
      'approver_not_allowed',
    ],
    [
      'no revoked token',
      async () => {
        const token = await insertToken('root')
        await sql('update token set revoked_at = now() where uuid = ?', [token.uuid])
        return by(token)
      },
      'approver_not_allowed',
    ],
  ])('%s', async (_, door, expected) => {
    expect(await approve(await door())).toBe(expected)
    expect((await read())!.decision).toBe(expected === true ? 'approved' : null)
  })
})

describe('two approvals', () => {
  beforeEach(() => request(maker, 2))

  test('are of two persons: one who approves by two tokens and the command counts once', async () => {
    const doors = [by(await insertToken('bia')), by(await insertToken('bia')), { person: 'bia' }]
    expect(await Promise.all(doors.map(approve))).toEqual(expect.arrayContaining([true, false, false]))
    expect([await readApprovers(), (await read())!.decision]).toEqual([['bia'], null])
    expect(await approve({ person: 'caio' })).toBe(true)
    expect((await read())!.decision).toBe('approved')
  })

  test.each([1, 2, 3])('at once are both counted, and a third is refused (%i)', async () => {
    const answers = await Promise.all(['bia', 'caio', 'dora'].map(person => approve({ person })))
    expect(answers.toSorted()).toEqual(['not_waiting_for_approval', true, true].toSorted())
    const { decision, given } = (await read())!
    expect([decision, given.length]).toEqual(['approved', 2])
  })

  test('and a rejection at once end in one decision', async () => {
    await approve({ person: 'bia' })
    await Promise.all([approve({ person: 'caio' }), say('reject', { person: 'dora' })])
    const { decision, given } = (await read())!
    expect(given.at(-1)!.approver).toBe(decision === 'approved' ? 'caio' : 'dora')
  })
})

test('nothing is approved after its time', async () => {
  await request(maker, 1, 0.0001)
  expect(await approve({ person: 'bia' })).toBe('not_waiting_for_approval')
})

test('a person waits for its own verdict only where it has ordered nothing', async () => {
  const count = async (person: string) => {
    const em = fixture.orm.em.fork()
    const listed = await listWaitingApprovals(em, { accountUuid, person, limit: 10 })
    expect((await countAccountTasks(em, accountUuid, person)).approvals).toBe(listed.length)
    return listed.length
  }
  await request(maker, 2)
  expect([await count('ana@shop.com'), await count('bia')]).toEqual([0, 2])
  await approve({ person: 'bia' })
  expect([await count('bia'), await count('caio')]).toEqual([1, 2])
})

describe('PostgreSQL refuses', () => {
  const violated = (work: Promise<unknown>) =>
    work.then(
      () => null,
      error => (error as { constraint: string }).constraint,
    )
  const insert = (approver: string, verdict: 'approve' | 'reject' = 'approve') =>
    runInTransaction(fixture.orm, em =>
      insertApproval(em, subjectUuid, { verdict, approver, reason: null, at: new Date() }),
    )
  const decide = (decision: 'approved' | 'rejected' | 'expired') =>
    runInTransaction(fixture.orm, em => decideApprovalRequest(em, subjectUuid, decision))

  test('the approval of the maker', async () =>
    expect(await violated(insert('ana@shop.com'))).toBe('approval_not_by_maker'))

  test('a second approval of the same person', async () => {
    await request(maker, 2)
    await insert('bia')
    expect(await violated(insert('bia'))).toBe('approval_once')
    expect(await violated(decide('approved'))).toBe('approval_request_decision')
  })

  test('a decision that nobody has made, and one after another', async () => {
    expect(await violated(decide('approved'))).toBe('approval_request_decision')
    expect(await violated(decide('rejected'))).toBe('approval_request_decision')
    await decide('expired')
    expect(await violated(insert('bia'))).toBe('approval_while_waiting')
    expect(await violated(decide('expired'))).toBe('approval_request_decision')
  })

  test('another maker than the one of the order', async () =>
    expect(
      await violated(sql(`update approval_request set maker = 'x' where subject_uuid = ?`, [subjectUuid])),
    ).toBe('approval_request_decision'))

  test('an order without an author', async () => expect(request({})).rejects.toThrow(/maker/))
})
