import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/common'
import pino from 'pino'
import { sweepProviderNotifications } from '../../../src/activities/provider-notifications/sweep.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { ProviderNotification } from '../../../src/db/entities/provider-notification.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { recordDifferences } from '../../../src/db/repositories/differences.ts'
import { storeProviderNotifications } from '../../../src/db/repositories/provider-notifications.ts'
import { pruneTable } from '../../../src/db/repositories/pruning.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type { StatementDifference } from '../../../src/domain/reconciliation/statement-comparison.ts'
import {
  buildNotificationSignal,
  notifyOfListedChange,
  routeNotification,
} from '../../../src/provider-notifications/route-notification.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

describe('route notification', () => {
  /** Where a payment notification is routed whose provider account has no attempt with its reference. */

  let fixture: ApiFixture
  let charge: string
  let connection: string
  beforeAll(async () => {
    fixture = await openApiFixture([])
    connection = await fixture.insertConnection(await fixture.insertAccount())
  })
  afterAll(() => fixture?.close())

  let signalledWorkflows: string[]
  /** The ids of started or signalled workflows. */
  let startedWorkflowIds: string[]
  let signalArguments: unknown[]
  beforeEach(async () => {
    signalArguments = []
    charge = await fixture.insertCharge(connection)
    signalledWorkflows = []
    startedWorkflowIds = []
    workflowStates = new Map([[`charge/${charge}`, 'running']])
  })
  /** What Temporal knows of a workflow. */
  let workflowStates: Map<string, 'running' | 'closed'>
  const requireWorkflow = (id: string) => {
    if (!workflowStates.has(id)) throw new WorkflowNotFoundError('no such workflow', id, undefined)
  }
  const workflow = {
    getHandle: (id: string) => ({
      async signal() {
        if (workflowStates.get(id) !== 'running') throw new WorkflowNotFoundError('it is over', id, undefined)
        signalledWorkflows.push(`running ${id}`)
      },
      describe: async () => requireWorkflow(id),
    }),
    signalWithStart: async (
      type: string,
      { workflowId, signalArgs }: { workflowId: string; signalArgs: unknown[] },
    ) => {
      signalledWorkflows.push(type)
      startedWorkflowIds.push(workflowId)
      signalArguments.push(...signalArgs)
    },
  }
  const temporal = {
    client: async () => ({ workflow }),
    taskQueue: 'q',
    timeScale: 1,
  } as unknown as TemporalContext

  const factsOf = (of: string | null) => ({
    kind: 'payment' as const,
    reference: of && referenceOf(of),
    endToEnd: END_TO_END,
    body: '{}',
    requestId: 'r',
  })

  type Given = { em?: EntityManager; of?: string | null; ageMs?: number; through?: string }
  async function notificationOf({
    em = fixture.orm.em.fork(),
    of = charge,
    ageMs = 0,
    through = connection,
  }: Given = {}): Promise<ProviderNotification> {
    const item = { ...factsOf(of), uuid: randomUUID() }
    const [notification] = await runQuery(em, storeProviderNotifications(em, through, [item]))
    notification!.receivedAt = new Date(Date.now() - ageMs)
    await em.nativeUpdate(ProviderNotification, notification!.uuid, { receivedAt: notification!.receivedAt })
    await routeNotification(temporal, em, notification!)
    return fixture.orm.em.fork().findOneOrFail(ProviderNotification, notification!.uuid)
  }
  const END_TO_END = 'E12345678202601101159abcdefghijk'
  const setChargeState = (state: string) =>
    fixture.orm.em
      .fork()
      .execute(`update charge set state = ?, payload = 'p' where uuid = ?`, [state, charge])

  test('a notification of a charge issued elsewhere does not pay it: it is a deposit', async () => {
    await setChargeState('pending')
    expect(await notificationOf()).toMatchObject({ outcome: 'routed' })
    expect(signalledWorkflows).toEqual(['depositWorkflow'])
  })

  test('a notification of a charge that is being issued, or found again after a restore, signals its workflow', async () => {
    await setChargeState('issuing')
    expect(await notificationOf()).toMatchObject({ outcome: 'routed' })
    expect(signalledWorkflows).toEqual([`running charge/${charge}`])
  })

  test('a notification of a charge whose attempt is written meanwhile signals its workflow', async () => {
    await setChargeState('issuing')
    const em = fixture.orm.em.fork()
    const ask = em.execute.bind(em)
    em.execute = (async (statement: string, values: unknown[]) => {
      const rows = await ask(statement, values)
      if (statement.includes('from attempt r')) await isFound()
      return rows
    }) as never
    expect(await notificationOf({ em })).toMatchObject({ outcome: 'routed' })
    expect(signalledWorkflows).toEqual([`running charge/${charge}`])
  })

  describe('a notification of a charge without a row', () => {
    const unknown = randomUUID()
    const late = { of: unknown, ageMs: 11 * 60_000 }

    test('signals the charge’s running workflow', async () => {
      workflowStates.set(`charge/${unknown}`, 'running')
      expect(await notificationOf(late)).toMatchObject({ outcome: 'routed' })
      expect(signalledWorkflows).toEqual([`running charge/${unknown}`])
    })

    test('waits while it may be early, and is a deposit after that', async () => {
      expect(await notificationOf({ ...late, ageMs: 9 * 60_000 })).toMatchObject({
        outcome: null,
        routedAt: null,
      })
      expect(signalledWorkflows).toEqual([])
      expect(await notificationOf(late)).toMatchObject({ outcome: 'routed' })
      expect(signalledWorkflows).toEqual(['depositWorkflow'])
    })

    test('waits without limit for the rebuild of a restored database where such a workflow existed', async () => {
      workflowStates.set(`charge/${unknown}`, 'closed')
      expect(await notificationOf(late)).toMatchObject({ outcome: null, routedAt: null })
      expect(signalledWorkflows).toEqual([])
    })
  })

  test('notifications that wait for a rebuild, however many, delay no younger one', async () => {
    const sql = (text: string, values: unknown[] = []) => fixture.orm.em.fork().execute(text, values)
    await sql(
      `update provider_notification set routed_at = now(), outcome = 'foreign' where routed_at is null`,
    )
    const [forgotten, running] = [randomUUID(), randomUUID()]
    workflowStates = new Map([
      [`charge/${forgotten}`, 'closed'],
      [`charge/${running}`, 'running'],
    ])
    const late = { of: forgotten, ageMs: 11 * 60_000 }
    for (let n = 0; n < 3; n += 1) await notificationOf(late)
    // It arrived while Temporal was down.
    const em = fixture.orm.em.fork()
    const item = { ...factsOf(running), uuid: randomUUID() }
    const [young] = await runQuery(em, storeProviderNotifications(em, connection, [item]))
    await sql(`update provider_notification set received_at = now() - interval '20 seconds' where uuid = ?`, [
      young!.uuid,
    ])
    const dependencies = {
      orm: fixture.orm,
      log: pino({ level: 'silent' }),
      temporal,
    } as unknown as ActivityDependencies
    const sweep = sweepProviderNotifications(dependencies, 2)
    for (let sweeps = 0; sweeps < 100 && signalledWorkflows.length === 0; sweeps += 1)
      expect(await sweep()).toMatchObject({ waiting: 2 })
    expect(signalledWorkflows).toEqual([`running charge/${running}`])
  })

  describe('on a shared account', () => {
    let anothers: string
    beforeAll(async () => {
      anothers = await fixture.insertConnection(await fixture.insertAccount())
      await fixture.orm.em.fork().execute(
        `update connection set type = 'POOL', provider_account_uuid =
         (select provider_account_uuid from connection where uuid = ?) where uuid in (?, ?)`,
        [connection, connection, anothers],
      )
    })

    test('a PIX that names no charge is looked up immediately', async () => {
      expect(await notificationOf({ of: null })).toMatchObject({ outcome: 'routed' })
      expect(startedWorkflowIds).toEqual([WORKFLOWS.deposit.idOf(`${connection}/${END_TO_END}`)])
    })

    test('a PIX that names an unknown charge is looked up after a while', async () => {
      const of = randomUUID()
      expect(await notificationOf({ of })).toMatchObject({ outcome: null })
      expect(await notificationOf({ of, ageMs: 11 * 60_000 })).toMatchObject({ outcome: 'routed' })
      expect(startedWorkflowIds).toEqual([WORKFLOWS.deposit.idOf(`${connection}/${END_TO_END}`)])
    })

    test('a PIX that names a charge that its provider refused belongs to its account, whichever connection is notified', async () => {
      const refusedUuid = randomUUID()
      await isTried({ of: refusedUuid, state: 'rejected' })
      expect(await notificationOf({ of: refusedUuid, through: anothers })).toMatchObject({
        outcome: 'routed',
      })
      expect(startedWorkflowIds).toEqual([WORKFLOWS.deposit.idOf(`${connection}/${END_TO_END}`)])
    })
  })

  test('a notification that names only the end-to-end id of a prepared transfer signals that transfer', async () => {
    const transfer = await fixture.insertTransfer(connection)
    const endToEnd = END_TO_END.replace('a', 'z')
    const em = fixture.orm.em.fork()
    await em.execute(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state,
         sendings, sealed_handle, provider_ref, prepared_at, end_to_end, created_at, updated_at)
       select ?, 'transfer', ?, uuid, provider_account_uuid, 0, 'calling', 1, 'sealed', ?, now(), ?, now(), now()
       from connection where uuid = ?`,
      [randomUUID(), transfer, endToEnd, endToEnd, connection],
    )
    const route = async (of: string) => {
      const item = { ...factsOf(null), kind: 'transfer' as const, uuid: randomUUID(), endToEnd: of }
      const [notification] = await runQuery(em, storeProviderNotifications(em, connection, [item]))
      return routeNotification(temporal, em, notification!)
    }
    expect(await route(endToEnd)).toBe('routed')
    expect(startedWorkflowIds).toEqual([WORKFLOWS.transfer.idOf(transfer)])
    // It is about the transfer itself: its workflow does not look for a return.
    expect(signalArguments).toEqual([expect.not.objectContaining({ isAboutReturn: true })])
    // That of another payment of the account, made in the bank's app, waits and is foreign.
    expect(await route(END_TO_END.replace('a', 'y'))).toBeNull()
    expect(startedWorkflowIds).toHaveLength(1)
  })

  test('a change that two reconciliations find at once is stored once', async () => {
    await isFound()
    const change = {
      connectionUuid: connection,
      reference: referenceOf(charge),
      endToEnd: END_TO_END,
      kind: 'payment' as const,
      facts: { found: randomUUID() },
      isReroutingKnown: false,
    }
    const find = () => notifyOfListedChange(temporal, fixture.orm.em.fork(), change)
    const twice = [0, 1]
    // Both have a connection already, so that neither ends before the other begins.
    await Promise.all(twice.map(() => fixture.orm.em.fork().execute('select pg_sleep(0.1)')))
    expect(await Promise.all(twice.map(find))).toContain('routed')
    expect(await find()).toBeUndefined()
    expect(new Set(startedWorkflowIds)).toEqual(new Set([WORKFLOWS.charge.idOf(charge)]))
  })

  /** As a workflow does that finds its charge again: the attempt at its connection, then the payload. */
  async function isFound(): Promise<void> {
    await isTried({ of: charge, state: 'accepted' })
    await setChargeState('pending')
  }

  async function isTried({ of, state }: { of: string; state: string }): Promise<void> {
    await fixture.orm.em.fork().execute(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state,
       created_at, updated_at)
     select ?, 'issue', ?, uuid, provider_account_uuid, 0, ?, now(), now() from connection where uuid = ?`,
      [randomUUID(), of, state, connection],
    )
  }

  test.each([
    { ageMs: 0, more: { isNew: true } },
    { ageMs: 4_000, more: { isNew: true } },
    { ageMs: 10_000, more: {} },
  ])('the signal of a notification says whether it is new: after $ageMs ms', ({ ageMs, more }) => {
    const receivedAt = new Date(Date.now() - ageMs)
    const notification = {
      uuid: 'notification',
      connectionUuid: 'connection',
      receivedAt,
    } as ProviderNotification
    expect(buildNotificationSignal(notification)).toEqual({
      notificationUuid: 'notification',
      connectionUuid: 'connection',
      ...more,
    })
  })
})

describe('stored text', () => {
  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([])
  })
  afterAll(() => fixture?.close())

  test('the text of a notification stays as its provider sent it, and PostgreSQL reads it', async () => {
    const connection = await fixture.insertConnection(await fixture.insertAccount())
    // The order of fields, spaces, a repeated field, zeros of a number and escapes: jsonb keeps none of them.
    const body = '{"valor": 10.00,\n "chave":"é\\u00e9\\u0000\\ud800", "b":1, "a":"\\/", "a":"\\"" }'
    const uuid = randomUUID()
    const em = fixture.orm.em.fork()
    const notification = {
      uuid,
      kind: 'payment',
      reference: 'r',
      endToEnd: null,
      body,
      requestId: 'q',
    } as const
    const store = () => runQuery(em, storeProviderNotifications(em, connection, [notification]))
    expect(await store()).toMatchObject([{ uuid, body }])
    expect(await store()).toMatchObject([{ uuid, body }])
    expect(await em.execute('select body from provider_notification where uuid = ?', [uuid])).toEqual([
      { body },
    ])
  })
})

describe('pruning', () => {
  /** Notifications of providers are deleted thirty days after they were routed. */

  let fixture: ApiFixture
  let connection: string
  beforeAll(async () => {
    fixture = await openApiFixture([])
    connection = await fixture.insertConnection(await fixture.insertAccount())
  })
  afterAll(() => fixture?.close())
  afterEach(() => sql('delete from provider_notification'))

  const sql = <Row extends object>(query: string, values: unknown[] = []) =>
    fixture.orm.em.fork().execute<Row[]>(query, values)
  const prune = () => pruneEvents({ orm: fixture.orm } as never)()

  /** `routed`: age in days; null of a notification that no workflow has accepted. */
  type Given = { routed: number | null; endToEnd?: string; reference?: string; through?: string }
  async function insertNotification({ routed, endToEnd, reference, through = connection }: Given) {
    const uuid = randomUUID()
    await sql(
      `insert into provider_notification (uuid, connection_uuid, kind, end_to_end, reference, body, request_id,
       received_at, routed_at, outcome)
     values (?, ?, 'payment', ?, ?, '', 'r', now() - interval '400 days', now() - make_interval(days => ?::int),
       case when ?::int is not null then 'routed' end)`,
      [uuid, through, endToEnd ?? null, reference ?? null, routed, routed],
    )
    return uuid
  }
  const listKept = async () =>
    (await sql<{ uuid: string }>('select uuid from provider_notification')).map(one => one.uuid)

  test('one that was routed thirty days ago is deleted; a younger one and one that waits are kept', async () => {
    await insertNotification({ routed: 31 })
    await insertNotification({ routed: 31, endToEnd: 'E1', reference: 'a' })
    const keptNotifications = [
      await insertNotification({ routed: 29 }),
      await insertNotification({ routed: null }),
    ]
    await prune()
    expect((await listKept()).sort()).toEqual(keptNotifications.sort())
  })

  test('one that an open or a closed difference is about is kept until the difference is gone', async () => {
    const [row] = await sql<{ uuid: string }>(
      'select provider_account_uuid as uuid from connection where uuid = ?',
      [connection],
    )
    const entry = { endToEnd: 'D7', reference: 'b'.repeat(32), returnOf: 'E7', cents: 700 }
    const sides = { direction: 'OUT', at: new Date().toISOString() } as const
    const difference: StatementDifference = {
      kind: 'missing_here',
      endToEnd: entry.endToEnd,
      direction: 'OUT',
      entry: { ...entry, ...sides },
    }
    const record = (remaining: StatementDifference[]) =>
      recordDifferences(fixture.orm.em.fork(), {
        providerAccountUuid: row!.uuid,
        remaining,
        covers: () => true,
      })
    await record([difference])
    const other = await fixture.insertConnection(await fixture.insertAccount())
    const insertAll = async () => [
      await insertNotification({ routed: 31, endToEnd: entry.endToEnd }),
      await insertNotification({ routed: 31, endToEnd: entry.returnOf }),
      await insertNotification({ routed: 31, reference: entry.reference, endToEnd: 'E9' }),
    ]
    const keptNotifications = await insertAll()
    await insertNotification({ routed: 31, endToEnd: entry.endToEnd, through: other })
    await insertNotification({ routed: 31, endToEnd: 'E8', reference: 'c'.repeat(32) })
    await prune()
    expect((await listKept()).sort()).toEqual(keptNotifications.sort())
    await sql(
      `update difference set closed_at = now(), closed_as = 'accepted', closed_reason = 'agreed', closed_by = 'ana'
     where settled_at is null`,
    )
    await prune()
    expect((await listKept()).sort()).toEqual(keptNotifications.sort())
    await record([])
    await prune()
    expect(await listKept()).toEqual([])
  })

  test('more than one batch are deleted in one run', async () => {
    await sql(
      `insert into provider_notification (uuid, connection_uuid, kind, body, request_id, received_at, routed_at, outcome)
     select gen_random_uuid(), ?, 'payment', '', 'r', now() - interval '40 days', now() - interval '40 days', 'foreign'
     from generate_series(1, 1200)`,
      [connection],
    )
    await prune()
    expect(await listKept()).toEqual([])
  })

  test('they are found by an index, in the order of their routing', async () => {
    const plan = await fixture.orm.em.fork().transactional(async tx => {
      for (const node of ['seqscan', 'bitmapscan', 'sort']) await tx.execute(`set local enable_${node} = off`)
      let lines: object[] = []
      const explain = async (statement: string, values: unknown[]) => {
        lines = await tx.execute(`explain ${statement}`, values)
        return lines
      }
      await pruneTable({ execute: explain } as unknown as EntityManager, 'provider_notification', 500)
      return lines.map(line => Object.values(line)[0]).join('\n')
    })
    expect(plan).toContain('Index Scan using provider_notification_routed')
    expect(plan).not.toContain('Sort')
    expect(plan).toContain('hashed SubPlan')
  })
})
