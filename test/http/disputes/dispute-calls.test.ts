import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sendDisputeReply, storeDisputeReply } from '../../../src/activities/disputes/activities.ts'
import { sweepDisputes } from '../../../src/activities/disputes/reconcile.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { disputeRoutes } from '../../../src/api/disputes/routes.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import { listCharges } from '../../../src/api/operations/charges.ts'
import { listDisputes } from '../../../src/api/operations/disputes.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import { disputesQuery } from '../../../src/contract/disputes/dispute.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import type { ReplyToDisputeOutcome } from '../../../src/domain/disputes/provider-dispute.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { insertDispute } from '../support/dispute-rows.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

describe('dispute sweep', () => {
  /** Providers without dispute notifications are polled in turn, at a rate that does not grow with their number. */

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture?.close())

  test('every account is polled once before any is polled twice', async () => {
    const accountUuid = await fixture.insertAccount()
    for (let count = 0; count < 30; count += 1) await fixture.insertConnection(accountUuid)
    const asked: string[] = []
    const sweep = sweepDisputes({
      orm: fixture.orm,
      log: fixture.dependencies.log,
      providers: {
        providerFor({ uuid }: { uuid: string }) {
          asked.push(uuid)
          return { listDisputes: async () => ({ kind: 'found', disputes: [] }) }
        },
      },
    } as unknown as ActivityDependencies)
    expect(await sweep()).toEqual({ polled: 25, signalled: 0 })
    expect(await sweep()).toEqual({ polled: 25, signalled: 0 })
    expect(new Set(asked).size).toBe(30)
    expect(new Set(asked.slice(0, 25)).size).toBe(25)
  })

  test.each([
    ['refuses its list', { kind: 'no_answer', code: 'unauthorized' }],
    ['lists some disputes only', { kind: 'found', disputes: [], incompleteCode: 'timeout' }],
  ])(
    'a provider that %s ages in the gauge of its alert, and one that answers does not',
    async (_name, answer) => {
      const em = fixture.orm.em.fork()
      await em.execute(`update connection set status = 'BLOCKED'`)
      const accountUuid = await fixture.insertAccount()
      for (const provider of ['PROVIDER_A', 'PROVIDER_B'] as const)
        await fixture.insertConnection(accountUuid, { provider })
      await em.execute(`update connection set updated_at = now() - interval '4 hours'`)
      const sweep = sweepDisputes({
        orm: fixture.orm,
        log: fixture.dependencies.log,
        providers: {
          providerFor: ({ provider }: { provider: string }) => ({
            listDisputes: async () => (provider === 'PROVIDER_A' ? { kind: 'found', disputes: [] } : answer),
          }),
        },
      } as unknown as ActivityDependencies)
      await sweep()
      await sweep() // Those of the other test are polled as well.
      const samples = await readDatabaseGauges(em)
      const ages = samples
        .filter(
          ({ gauge, labels }) => gauge === 'trilho_reconciliation_age_seconds' && labels?.[1] === 'disputes',
        )
        .map(({ labels, value }) => `${labels?.[0]} ${Math.floor(value / 3_600)}`)
      expect(ages.sort()).toEqual(['PROVIDER_A 0', 'PROVIDER_B 4'])
    },
  )
})

describe('dispute list', () => {
  /** What a page of disputes reads: each with its PIX, its provider and its attachments. */

  let fixture: ApiFixture
  let account: { uuid: string; connection: string; token: string }

  beforeAll(async () => {
    fixture = await openApiFixture([disputeRoutes])
    const uuid = await fixture.insertAccount()
    const connection = await fixture.insertConnection(uuid)
    account = { uuid, connection, token: await fixture.insertToken({ accountUuid: uuid }) }
  })
  afterAll(() => fixture.close())

  test('a dispute is listed as its GET shows it, with its attachments in their order', async () => {
    const uuid = await insertDispute(fixture, { connection: account.connection, hasReply: true })
    for (const [reply, position] of [
      [2, 0],
      [1, 1],
      [1, 0],
    ])
      await fixture.orm.em.execute(
        `insert into attachment (uuid, dispute_uuid, reply, position, name, content_type, bytes, storage_key, created_at)
       values (?, ?, ?, ?, 'a.pdf', 'application/pdf', 9, ?, now())`,
        [randomUUID(), uuid, reply, position, `meds/${uuid}/${reply}-${position}.pdf`],
      )
    const { token } = account
    const [listed] = (await fixture.call('GET', '/api/v1/meds', { token })).body.data
    expect(listed).toEqual((await fixture.call('GET', `/api/v1/meds/${uuid}`, { token })).body.data)
    const places = listed.attachments.map(({ url }: { url: string }) => /(\d-\d)\.pdf/.exec(url)?.[1])
    expect(places).toEqual(['1-0', '1-1', '2-0'])
  })

  test('a page of disputes takes as many statements as a page of charges', async () => {
    await insertDispute(fixture, { connection: account.connection })
    const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
    try {
      const token = { accountUuid: account.uuid, connectionUuid: null, modeScope: 'test' } as never
      const { storage } = fixture.dependencies
      const countStatements = async (list: () => Promise<unknown>) => {
        await list() // Once more for the connection's own statements.
        captured.forget()
        await list()
        return captured.statements.length
      }
      const em = orm.em.fork()
      const ofCharges = await countStatements(() =>
        listCharges(em, token, chargesQuery.parse({ cursor: '' })),
      )
      expect(ofCharges).toBeGreaterThan(0)
      expect(
        await countStatements(() => listDisputes(em, storage, token, disputesQuery.parse({ cursor: '' }))),
      ).toBe(ofCharges)
    } finally {
      await close()
    }
  })
})

describe('reply calls', () => {
  /** A provider that gets no id of ours with a reply would take two calls for two replies: one call runs at a time. */

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([disputeRoutes, eventRoutes])
  })
  afterAll(() => fixture?.close())

  test('a call that was given up and still runs allows no other; once it has ended another may start', async () => {
    const { send, calls } = await answeredDispute()
    const givenUp = send()
    const call = await calls.next()
    expect(await send()).toMatchObject({ kind: 'again', isReplyPending: true })
    call.answer({ kind: 'unknown', code: 'timeout', message: 'no answer' })
    expect(await givenUp).toMatchObject({ kind: 'again', isReplyPending: true })

    const second = send()
    const another = await calls.next()
    another.answer({ kind: 'accepted' })
    expect(await second).toMatchObject({ kind: 'closed', isReplyPending: false })
    expect(await send()).toMatchObject({ kind: 'closed' })
    expect(calls.count).toBe(2)
  })

  test('a call whose process ended is waited for as long as it could have taken', async () => {
    const { uuid, send, calls } = await answeredDispute()
    const underWay = (until: string) =>
      fixture.orm.em.execute('update dispute set replying_until = now() + ?::interval where uuid = ?', [
        until,
        uuid,
      ])
    await underWay('30 seconds')
    expect(await send()).toMatchObject({ kind: 'again', isReplyPending: true })
    expect(calls.count).toBe(0)

    await underWay('-1 second')
    const replyOutcome = send()
    const call = await calls.next()
    call.answer({ kind: 'accepted' })
    expect(await replyOutcome).toMatchObject({ kind: 'closed', isReplyPending: false })
  })

  test('a call that ends after its time does not change the one that followed it', async () => {
    const { uuid, send, calls } = await answeredDispute()
    const slow = send()
    const late = await calls.next()
    await fixture.orm.em.execute(
      `update dispute set replying_until = now() - interval '1 second' where uuid = ?`,
      [uuid],
    )
    const second = send()
    const call = await calls.next()
    late.answer({ kind: 'unknown', code: 'timeout', message: 'no answer' })
    expect(await slow).toMatchObject({ kind: 'again', isReplyPending: true })
    expect(await send()).toMatchObject({ kind: 'again', isReplyPending: true })
    call.answer({ kind: 'accepted' })
    expect(await second).toMatchObject({ kind: 'closed', isReplyPending: false })
    expect(calls.count).toBe(2)
  })

  test('a refused reply shows why, in its event and in the API, until another is accepted', async () => {
    const { uuid, token, send, calls } = await answeredDispute()
    const outcome = send()
    const call = await calls.next()
    call.answer({
      kind: 'rejected',
      finality: 'final',
      code: 'reply_rejected',
      message: 'the text is too long',
    })
    expect(await outcome).toMatchObject({ kind: 'closed', isReplyPending: false })
    const refusal = {
      status: 'PENDING',
      analysis: '',
      reply_error: { code: 'reply_rejected', message: 'the text is too long' },
    }
    const events = await fixture.call('GET', `/api/v1/events?operation_uuid=${uuid}`, { token })
    expect(events.body.data).toEqual([expect.objectContaining({ data: expect.objectContaining(refusal) })])
    const read = () => fixture.call('GET', `/api/v1/meds/${uuid}`, { token })
    expect((await read()).body.data).toMatchObject(refusal)

    await store(uuid)
    expect((await read()).body.data).toMatchObject({ status: 'PROCESSING', analysis: 'Again.' })
    expect((await read()).body.data.reply_error).toBeUndefined()
  })

  /** Stores another reply, as the workflow's update does. */
  function store(uuid: string) {
    const reply = { accept: false, analysis: 'Again.', attachments: [] }
    const { orm } = fixture.dependencies
    const dependencies = { orm, sealer: { open: () => reply } } as unknown as ActivityDependencies
    return storeDisputeReply(dependencies)({ uuid, details: 'sealed', requestId: 'again', sentBy: 'r' })
  }

  /** A dispute whose reply the provider does not have yet, and the calls that reach the provider. */
  async function answeredDispute() {
    const accountUuid = await fixture.insertAccount()
    const connectionUuid = await fixture.insertConnection(accountUuid)
    const token = await fixture.insertToken({ accountUuid })
    const uuid = await insertDispute(fixture, {
      connection: connectionUuid,
      state: 'analysing',
      hasReply: true,
    })
    const calls = heldCalls()
    const { orm, log, storage } = fixture.dependencies
    const replyOutcome = sendDisputeReply({
      orm,
      log,
      storage,
      providers: { providerFor: () => ({ replyToDispute: calls.take, findDispute }) },
    } as unknown as ActivityDependencies)
    const order = {
      uuid,
      connectionUuid,
      providerDisputeId: 'm',
      endToEnd: null,
      requestId: 'r',
      timeScale: 1,
    }
    return { uuid, token, calls, send: () => replyOutcome(order) }
  }

  /** The provider still awaits a reply. */
  const findDispute = async () => ({ kind: 'found', dispute: { status: 'open' } })

  type Call = { answer(outcome: ReplyToDisputeOutcome): void }

  /** Calls that hang until the test answers them. */
  function heldCalls() {
    const waiting: ((call: Call) => void)[] = []
    const calls = {
      count: 0,
      take: () =>
        new Promise<ReplyToDisputeOutcome>(answer => {
          calls.count += 1
          waiting.shift()?.({ answer })
        }),
      next: () => new Promise<Call>(resolve => waiting.push(resolve)),
    }
    return calls
  }
})
